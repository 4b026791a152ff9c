/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C process for the tests to talk to. One request a line on standard input,
 *     <id> <thread> <verb> <argument>...
 * each run in order by the thread it names, a thread of its own; threads run side by side. One reply a request,
 *     <id> <status> <began ms> <ended ms> <value>...
 * with the monotonic clock's times; a failure's value is its sentence. In between come
 *     event state <client> <state> <ms>
 *     event lost <mutex> <ms>
 *     event revoke <mutex> <ms>
 * JavaPeer.java speaks the same. The process ends when its standard input does.
 */
#include "peer.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A named thread and the requests it has to run. In the list `workers`, which only the main thread touches. */
struct worker {
    struct worker *next;
    char *name;
    pthread_t thread;
    pthread_mutex_t guard; /* of all below */
    pthread_cond_t changed;
    struct request *first;
    struct request **last;
    bool ending;
};

static struct worker *workers;

static void run_request(const struct request *request)
{
    struct answer answer = {.status = CURATOR_OK};
    struct line line = {0};
    double began = monotonic_ms();
    bool known = verb_run(request, &answer);
    double ended = monotonic_ms();
    line_add(&line, request->id);
    line_add(&line, known ? curator_status_string(answer.status) : "PEER_ERROR");
    line_add_ms(&line, began);
    line_add_ms(&line, ended);
    if (!known) {
        line_add(&line, "no such verb, client or mutex");
    } else if (answer.status != CURATOR_OK) {
        line_add(&line, curator_last_error());
    }
    line_append(&line, &answer.values);
    line_send(&line);
}

/* The next request of this thread; NULL when it is to end. */
static struct request *next_request(struct worker *worker)
{
    struct request *request = NULL;
    pthread_mutex_lock(&worker->guard);
    while (worker->first == NULL && !worker->ending) {
        pthread_cond_wait(&worker->changed, &worker->guard);
    }
    if (!worker->ending) {
        request = worker->first;
        worker->first = request->next;
        if (worker->first == NULL) {
            worker->last = &worker->first;
        }
    }
    pthread_mutex_unlock(&worker->guard);
    return request;
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct request *request;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    while ((request = next_request(worker)) != NULL) {
        run_request(request);
        request_free(request);
    }
    return NULL;
}

static struct worker *worker_start(const char *name)
{
    struct worker *worker = allocate(sizeof(*worker));
    worker->name = strdup(name);
    pthread_mutex_init(&worker->guard, NULL);
    pthread_cond_init(&worker->changed, NULL);
    worker->last = &worker->first;
    if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
        abort();
    }
    worker->next = workers;
    workers = worker;
    return worker;
}

/* From now on the thread takes no request more. */
static void worker_tell_to_end(struct worker *worker)
{
    pthread_mutex_lock(&worker->guard);
    worker->ending = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->guard);
}

static void worker_end(struct worker *worker)
{
    worker_tell_to_end(worker);
    pthread_join(worker->thread, NULL);
    while (worker->first != NULL) {
        struct request *request = worker->first;
        worker->first = request->next;
        request_free(request);
    }
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->guard);
    free(worker->name);
    free(worker);
}

/* The link in the list that leads to the request's thread, or to the list's end. */
static struct worker **worker_of(const struct request *request)
{
    struct worker **link = &workers;
    while (*link != NULL && strcmp((*link)->name, request->thread) != 0) {
        link = &(*link)->next;
    }
    return link;
}

/* The verb `end_thread`, the only one run by the main thread: the next request of this name gets a new thread. */
static void end_thread(struct request *request)
{
    struct worker **link = worker_of(request);
    struct worker *worker = *link;
    struct line line = {0};
    if (worker != NULL) {
        *link = worker->next;
        worker_end(worker);
    }
    line_add(&line, request->id);
    line_add(&line, curator_status_string(CURATOR_OK));
    line_add_ms(&line, monotonic_ms());
    line_add_ms(&line, monotonic_ms());
    request_free(request);
    line_send(&line);
}

static void hand_over(struct request *request)
{
    struct worker *worker = *worker_of(request);
    if (worker == NULL) {
        worker = worker_start(request->thread);
    }
    pthread_mutex_lock(&worker->guard);
    *worker->last = request;
    worker->last = &request->next;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->guard);
}

static void ignore_signal(int number)
{
    (void)number;
}

/* Threads that run requests get SIGUSR1 and their system calls are interrupted by it; this thread's are not. */
static void receive_signals(void)
{
    struct sigaction action = {.sa_handler = ignore_signal};
    sigset_t signals;
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

int main(void)
{
    char *text = NULL;
    size_t capacity = 0;
    receive_signals();
    while (getline(&text, &capacity, stdin) > 0) {
        struct request *request = request_parse(text);
        if (request == NULL) {
            fprintf(stderr, "peer: not a request: %s", text);
        } else if (strcmp(request->verb, "end_thread") == 0) {
            end_thread(request);
        } else {
            hand_over(request);
        }
    }
    free(text);
    for (struct worker *worker = workers; worker != NULL; worker = worker->next) {
        worker_tell_to_end(worker);
    }
    verbs_close_clients();
    while (workers != NULL) {
        struct worker *worker = workers;
        workers = worker->next;
        worker_end(worker);
    }
    verbs_free();
    return 0;
}
