/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest complete program: connect, take a lock, work, give it back. Usage: hello_lock [host:port,...] */
#include <curator/curator.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const char *what, curator_status status)
{
    if (status != CURATOR_OK) {
        fprintf(stderr, "%s: %s (%s)\n", what, curator_last_error(), curator_status_string(status));
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    const char *servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    curator_framework *client;
    curator_mutex *mutex;

    if (argc > 2 || servers[0] == '-') {
        bool asked = argc == 2 && strcmp(servers, "--help") == 0;
        fprintf(asked ? stdout : stderr,
                "Usage: hello_lock [host:port,...]\n"
                "Takes the lock /examples/hello_lock on these ZooKeeper servers, 127.0.0.1:2181 unless others are\n"
                "named, says hello, and gives it back.\n");
        return asked ? EXIT_SUCCESS : EXIT_FAILURE;
    }

    check("open", curator_framework_open(&client, &(curator_framework_options){.connect_string = servers}));
    check("create", curator_mutex_create(&mutex, client, "/examples/hello_lock"));

    check("acquire", curator_mutex_acquire(mutex));
    printf("Hello! Until I release it, nobody else on %s has this lock.\n", servers);
    check("release", curator_mutex_release(mutex));

    check("destroy", curator_mutex_destroy(mutex));
    check("close", curator_framework_close(client));
    return EXIT_SUCCESS;
}
