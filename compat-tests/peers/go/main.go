// SPDX-License-Identifier: Apache-2.0

// A Go process with go-zookeeper's Lock, for the tests to talk to; speaks the line protocol of support/peer.c.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/go-zookeeper/zk"
)

const clockMonotonic = 1

var (
	guard   sync.Mutex
	clients = map[string]*zk.Conn{}
	locks   = map[string]*zk.Lock{}
	workers = map[string]chan []string{}
)

func now() float64 {
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&t)), 0)
	return float64(t.Nano()) / 1e6
}

func open(name string, options []string) error {
	settings := map[string]string{"session_timeout": "10000"}
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		settings[key] = value
	}
	milliseconds, err := strconv.Atoi(settings["session_timeout"])
	if err != nil {
		return err
	}
	timeout := time.Duration(milliseconds) * time.Millisecond
	client, _, err := zk.Connect(strings.Split(settings["connect"], ","), timeout, zk.WithLogInfo(false))
	if err != nil {
		return err
	}
	if _, _, err = client.Exists("/"); err != nil {
		return err
	}
	guard.Lock()
	defer guard.Unlock()
	clients[name] = client
	return nil
}

func perform(request []string) error {
	verb, name := request[2], request[3]
	if verb == "open" {
		return open(name, request[4:])
	}
	guard.Lock()
	client, lock := clients[name], locks[name]
	if verb == "mutex" {
		locks[name] = zk.NewLock(clients[request[4]], request[5], zk.WorldACL(zk.PermAll))
	}
	guard.Unlock()
	switch verb {
	case "mutex", "await":
		return nil
	case "acquire":
		return lock.Lock()
	case "release":
		return lock.Unlock()
	case "close":
		client.Close()
		return nil
	}
	return fmt.Errorf("no verb %s", verb)
}

func work(requests chan []string) {
	for request := range requests {
		began, status, details := now(), "CURATOR_OK", ""
		if err := perform(request); err != nil {
			status, details = "CURATOR_ERROR", " "+url.PathEscape(err.Error())
		}
		line := fmt.Sprintf("%s %s %.3f %.3f%s\n", request[0], status, began, now(), details)
		os.Stdout.WriteString(line)
	}
}

func main() {
	log.SetOutput(io.Discard)
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		request := strings.Fields(input.Text())
		for i, token := range request {
			request[i], _ = url.PathUnescape(token)
		}
		if workers[request[1]] == nil {
			workers[request[1]] = make(chan []string, 1000)
			go work(workers[request[1]])
		}
		workers[request[1]] <- request
	}
}
