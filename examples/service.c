/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service of which any number run and one works: a skeleton to copy. It has what a program in production needs around
 * the lock: a log, the connection states, the end of a hold that is lost, writes that are refused when it is, and a
 * shutdown on SIGTERM and SIGINT, whether it waits or holds.
 *
 * Its work is to count in a node of ZooKeeper, in one transaction with the lock's guard: each number is written once.
 * Usage: service [host:port,... [session timeout in ms]]. Link with -lcurator -lzookeeper_mt.
 */
#define _GNU_SOURCE
#define THREADED /* for the synchronous calls of <zookeeper/zookeeper.h> */
#include <curator/curator.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#define LOCK_PATH "/examples/service/lock"
#define COUNT_PATH "/examples/service/count"
#define STEP_MS 200
#define PAUSE_MS 1000

struct service {
    curator_framework *client;
    curator_mutex *mutex;
    pthread_t worker;

    pthread_mutex_t access; /* guards what follows; no call of the library is made under it */
    pthread_cond_t changed;
    bool stopping;  /* the program ends */
    bool lost;      /* the lock of this hold is gone */
    bool suspended; /* the server does not answer: start nothing that is not guarded */
    bool ended;     /* the worker has returned */
    bool failed;    /* because it cannot go on */
};

/* --- what the library calls, on threads of its own */

static void log_line(curator_log_level level, const char *message, void *context)
{
    static const char *const names[] = {"", "ERROR", "WARN", "INFO", "DEBUG"};
    (void)context;
    fprintf(stderr, "%s %s\n", names[level], message);
}

static void on_state(curator_framework *client, curator_connection_state state, void *context)
{
    struct service *service = context;
    (void)client;
    printf("connection: %s\n", curator_connection_state_string(state));
    pthread_mutex_lock(&service->access);
    service->suspended = state == CURATOR_SUSPENDED || state == CURATOR_LOST;
    pthread_cond_broadcast(&service->changed);
    pthread_mutex_unlock(&service->access);
}

static void on_lost(curator_mutex *mutex, void *context)
{
    struct service *service = context;
    (void)mutex;
    pthread_mutex_lock(&service->access);
    service->lost = true;
    pthread_cond_broadcast(&service->changed);
    pthread_mutex_unlock(&service->access);
}

/* --- the worker */

static struct timespec in_ms(long milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += milliseconds % 1000 * 1000000L;
    time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000L;
    time.tv_nsec %= 1000000000L;
    return time;
}

/* Waits; ends at once when the program stops or, with a hold, when that is lost. False then. */
static bool pause_for(struct service *service, long milliseconds, bool holding)
{
    struct timespec end = in_ms(milliseconds);
    pthread_mutex_lock(&service->access);
    while (!service->stopping && !(holding && service->lost) &&
           pthread_cond_clockwait(&service->changed, &service->access, CLOCK_MONOTONIC, &end) == 0) {
    }
    bool on = !service->stopping && !(holding && service->lost);
    pthread_mutex_unlock(&service->access);
    return on;
}

static bool is_suspended(struct service *service)
{
    pthread_mutex_lock(&service->access);
    bool suspended = service->suspended;
    pthread_mutex_unlock(&service->access);
    return suspended;
}

/* What became of one step of the work. */
enum outcome {
    COUNTED,
    LOCK_GONE,
    NOT_NOW /* the next step tries again */
};

static enum outcome not_now(const char *why)
{
    fprintf(stderr, "WARN count: %s\n", why);
    return NOT_NOW;
}

/* One transaction of the guard and the write: all or nothing. Each part says why it was refused. */
static enum outcome commit(zhandle_t *zookeeper, const curator_mutex *mutex, const zoo_op_t *write)
{
    zoo_op_t ops[2] = {{0}, *write};
    zoo_op_result_t results[2] = {{0}};
    if (is_unrecoverable(zookeeper) != ZOK) { /* zoo_multi() would free what is not its own */
        return not_now("the session is over");
    }
    if (curator_mutex_guard(mutex, &ops[0]) != CURATOR_OK) {
        return not_now(curator_last_error());
    }
    int rc = zoo_multi(zookeeper, 2, ops, results);
    if (rc == ZOK) {
        return COUNTED;
    }
    if (results[0].err == ZNONODE || results[0].err == ZBADVERSION) {
        return LOCK_GONE;
    }
    return not_now(results[1].err == ZBADVERSION ? "somebody writes without the lock" : zerror(rc));
}

/* It reads anew each time: what became of a write whose answer was lost shows then. */
static enum outcome count_on(zhandle_t *zookeeper, const curator_mutex *mutex, long *count)
{
    char text[24];
    int length = sizeof text - 1;
    struct Stat stat;
    zoo_op_t write;
    int rc = zoo_get(zookeeper, COUNT_PATH, 0, text, &length, &stat);
    if (rc == ZNONODE) { /* its parent exists since the lock was acquired */
        *count = 0;
        zoo_create_op_init(&write, COUNT_PATH, "0", 1, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, NULL, 0);
    } else if (rc == ZOK) {
        text[length > 0 ? length : 0] = '\0';
        *count = strtol(text, NULL, 10) + 1;
        length = snprintf(text, sizeof text, "%ld", *count);
        zoo_set_op_init(&write, COUNT_PATH, text, length, stat.version, NULL);
    } else {
        return not_now(zerror(rc));
    }
    return commit(zookeeper, mutex, &write);
}

/* One step of the work. */
static enum outcome count_one(struct service *service, long *count)
{
    zhandle_t *zookeeper = curator_framework_borrow_handle(service->client);
    if (zookeeper == NULL) {
        return not_now(curator_last_error());
    }
    enum outcome outcome = count_on(zookeeper, service->mutex, count);
    curator_framework_return_handle(service->client, zookeeper);
    return outcome;
}

/* Works while the lock is ours and the program runs. */
static void work(struct service *service)
{
    do {
        long count = 0;
        enum outcome outcome = is_suspended(service) ? NOT_NOW : count_one(service, &count);
        if (outcome == COUNTED) {
            printf("counted %ld\n", count);
        } else if (outcome == LOCK_GONE) {
            printf("refused: the lock is gone\n");
            return;
        }
    } while (pause_for(service, STEP_MS, true));
}

/* One hold. A loss is no failure of the service: it queues again. */
static void hold(struct service *service)
{
    int64_t token = 0;
    curator_mutex_fencing_token(service->mutex, &token);
    printf("holding the lock, token %" PRId64 "\n", token);
    work(service);
    switch (curator_mutex_release(service->mutex)) {
    case CURATOR_OK:
        printf("released the lock\n");
        break;
    case CURATOR_RELEASE_PENDING: /* the library goes on; others wait until the server has heard of it */
        printf("released the lock, which is not confirmed yet\n");
        break;
    case CURATOR_LOCK_LOST:
        printf("lost the lock: %s\n", curator_last_error());
        break;
    default: /* held to the end, but its node stays until the session ends */
        fprintf(stderr, "ERROR the lock is not free: %s\n", curator_last_error());
    }
}

static void clear_lost(struct service *service)
{
    pthread_mutex_lock(&service->access);
    service->lost = false;
    pthread_mutex_unlock(&service->access);
}

/* Whether it can be tried again after this answer. */
static bool passes(curator_status status)
{
    return status == CURATOR_INTERRUPTED || status == CURATOR_CONNECTION_LOSS || status == CURATOR_SESSION_EXPIRED ||
           status == CURATOR_NO_MEMORY;
}

static void *serve(void *context)
{
    struct service *service = context;
    bool failed = false;
    do {
        clear_lost(service); /* a callback that comes late ends the next hold early, which does no harm */
        printf("waiting for the lock\n");
        curator_status status = curator_mutex_acquire(service->mutex);
        if (status == CURATOR_OK) {
            hold(service);
        } else if (status != CURATOR_INTERRUPTED) {
            fprintf(stderr, "ERROR %s\n", curator_last_error());
            failed = !passes(status);
        }
    } while (!failed && pause_for(service, PAUSE_MS, false));
    pthread_mutex_lock(&service->access);
    service->failed = failed;
    service->ended = true;
    pthread_cond_broadcast(&service->changed);
    pthread_mutex_unlock(&service->access);
    if (failed) {
        kill(getpid(), SIGTERM); /* the main thread waits for it */
    }
    return NULL;
}

/* --- start and end */

static bool start(struct service *service, const char *servers, int64_t session_timeout_ms)
{
    curator_framework_options options = {
        .connect_string = servers,
        .session_timeout_ms = session_timeout_ms,
        .logger = {.log = log_line, .level = CURATOR_LOG_WARN},
        .connection_listener = on_state,
        .connection_listener_context = service,
    };
    if (curator_framework_open(&service->client, &options) != CURATOR_OK ||
        curator_mutex_create(&service->mutex, service->client, LOCK_PATH) != CURATOR_OK ||
        curator_mutex_on_lost(service->mutex, on_lost, service) != CURATOR_OK) {
        fprintf(stderr, "ERROR %s\n", curator_last_error());
        return false;
    }
    int error = pthread_create(&service->worker, NULL, serve, service);
    if (error != 0) {
        fprintf(stderr, "ERROR the worker cannot be started: %s\n", strerror(error));
    }
    return error == 0;
}

/*
 * Ends the worker's wait, whenever it begins: an interrupt has no effect on a call that has not begun. A request of its
 * own to a silent server (count_one) ends when the ZooKeeper client gives the connection up, after 2/3 of the timeout.
 */
static bool stop_worker(struct service *service)
{
    pthread_mutex_lock(&service->access);
    service->stopping = true;
    pthread_cond_broadcast(&service->changed);
    while (!service->ended) {
        pthread_mutex_unlock(&service->access);
        curator_mutex_interrupt(service->mutex);
        struct timespec soon = in_ms(50);
        pthread_mutex_lock(&service->access);
        while (!service->ended &&
               pthread_cond_clockwait(&service->changed, &service->access, CLOCK_MONOTONIC, &soon) == 0) {
        }
    }
    pthread_mutex_unlock(&service->access);
    pthread_join(service->worker, NULL);
    return !service->failed;
}

/* Also of what start() left half done. */
static bool end(struct service *service)
{
    if (service->mutex != NULL) {
        curator_mutex_destroy(service->mutex);
    }
    if (service->client != NULL && curator_framework_close(service->client) != CURATOR_OK) {
        fprintf(stderr, "WARN %s\n", curator_last_error()); /* the session ends by its timeout */
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct service service = {.access = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    sigset_t signals;
    int received = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL); /* before the first thread: all inherit it */

    bool started = start(&service, argc > 1 ? argv[1] : "127.0.0.1:2181", argc > 2 ? strtoll(argv[2], NULL, 10) : 0);
    bool good = started;
    if (started) {
        sigwait(&signals, &received);
        printf("stopping\n");
        good = stop_worker(&service);
    }
    good = end(&service) && good;
    printf("stopped\n");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
