/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child process owns no lock and disturbs nothing, whether or not the handlers of pthread_atfork() ran; the parent
 * keeps its lock. The same for a child of a child.
 */
#include "scenario.h"
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#define AT_ONCE_MS 5000 /* one that waited would take twice as long, or for ever */

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
static const bool threads_after_fork = false; /* ThreadSanitizer cannot do it */
#else
static const bool threads_after_fork = true;
#endif

/*
 * What LeakSanitizer is not to report in this program: what only the parent's ZooKeeper threads pointed at, which the
 * child inherits without those threads.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libzookeeper_mt\n";
}

static void ignore_state(curator_framework *framework, curator_connection_state state, void *context)
{
    (void)framework;
    (void)state;
    (void)context;
}

/* Safe in a child even if locks of the C library were held at the fork: no call here allocates. */
static void ask_everything(curator_framework *client, curator_mutex *mutex, zhandle_t *lent)
{
    curator_mutex *another = NULL;
    curator_participants *participants = NULL;
    curator_connection_state state;
    char *path = NULL;
    int64_t number;
    zoo_op_t op;
    int64_t began = now_ms();
    assert_status(CURATOR_FORKED, curator_mutex_acquire(mutex));
    assert_error_mentions("fork");
    assert_status(CURATOR_FORKED, curator_mutex_acquire_for(mutex, 0));
    assert_status(CURATOR_FORKED, curator_mutex_release(mutex));
    assert_status(CURATOR_FORKED, curator_mutex_release_for(mutex, 0));
    assert_status(CURATOR_FORKED, curator_mutex_interrupt(mutex));
    assert_status(CURATOR_FORKED, curator_mutex_participants(mutex, &participants));
    assert_status(CURATOR_FORKED, curator_mutex_lock_path(mutex, &path));
    assert_status(CURATOR_FORKED, curator_mutex_fencing_token(mutex, &number));
    assert_status(CURATOR_FORKED, curator_mutex_guard(mutex, &op));
    assert_status(CURATOR_FORKED, curator_mutex_on_lost(mutex, NULL, NULL));
    assert_that(!curator_mutex_is_acquired_in_this_process(mutex));
    assert_that(!curator_mutex_is_owned_by_current_thread(mutex));
    assert_status(CURATOR_FORKED, curator_mutex_create(&another, client, "/another"));
    assert_status(CURATOR_FORKED, curator_mutex_destroy(mutex));
    assert_status(CURATOR_FORKED, curator_framework_await_connected(client, bound_ms(2 * AT_ONCE_MS)));
    assert_status(CURATOR_FORKED, curator_framework_state(client, &state));
    assert_status(CURATOR_FORKED, curator_framework_session_timeout(client, &number));
    assert_status(CURATOR_FORKED, curator_framework_set_servers(client, "127.0.0.1:1"));
    assert_status(CURATOR_FORKED, curator_framework_add_connection_listener(client, ignore_state, NULL));
    assert_status(CURATOR_FORKED, curator_framework_remove_connection_listener(client, ignore_state, NULL));
    assert_that(curator_framework_borrow_handle(client) == NULL);
    assert_status(CURATOR_FORKED, curator_framework_return_handle(client, lent));
    assert_status(CURATOR_FORKED, curator_framework_close(client));
    assert_that(now_ms() - began < bound_ms(AT_ONCE_MS));
}

/* Neither runs the handlers of pthread_atfork(). */
static pid_t fork_without_handlers(void)
{
    return _Fork();
}

static pid_t fork_by_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static void assert_ends_well(pid_t pid)
{
    int status = -1;
    assert_that(waitpid(pid, &status, 0) == pid);
    assert_that(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void make_asking_child(pid_t (*make)(void), curator_framework *client, curator_mutex *mutex, zhandle_t *lent)
{
    fflush(NULL);
    pid_t pid = make();
    if (pid == 0) {
        ask_everything(client, mutex, lent);
        /* Not exit(): a leak checker would report what only the parent's threads pointed at. */
        execl("/bin/true", "true", (char *)NULL);
        _exit(127);
    }
    assert_ends_well(pid);
}

static void child(curator_framework *client, curator_mutex *mutex, zhandle_t *lent, const char *connect_string)
{
    curator_mutex *another = NULL;
    ask_everything(client, mutex, lent);
    make_asking_child(fork_without_handlers, client, mutex, lent);
    if (!threads_after_fork) {
        return;
    }
    /* a client of its own works, and finds the lock taken */
    curator_framework *own = connected_client(connect_string);
    assert_ok(curator_mutex_create(&another, own, "/after-fork/lock"));
    assert_status(CURATOR_TIMED_OUT, curator_mutex_acquire_for(another, 100));
    zhandle_t *own_handle = curator_framework_borrow_handle(own);
    make_asking_child(fork_without_handlers, own, another, own_handle);
    assert_ok(curator_framework_return_handle(own, own_handle));
    assert_ok(curator_mutex_destroy(another));
    assert_ok(curator_framework_close(own));
}

/* By vfork() or what is like it, which is no fork in this sense. */
static void run_program(void)
{
    char *const arguments[] = {"true", NULL};
    pid_t pid = -1;
    assert_that(posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ) == 0);
    assert_ends_well(pid);
}

int main(int argc, char **argv)
{
    const char *connect_string = scenario_argument(argc, argv, 1);
    curator_framework *client = connected_client(connect_string);
    curator_mutex *mutex = NULL;
    assert_ok(curator_mutex_create(&mutex, client, "/after-fork/lock"));
    assert_ok(curator_mutex_acquire(mutex));
    zhandle_t *lent = curator_framework_borrow_handle(client);
    assert_that(lent != NULL);
    for (int i = 0; i < 3; i++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            child(client, mutex, lent, connect_string);
            exit(0); /* with all exit handlers */
        }
        assert_ends_well(pid);
        assert_that(curator_mutex_is_owned_by_current_thread(mutex));
        make_asking_child(fork_without_handlers, client, mutex, lent);
        assert_that(curator_mutex_is_owned_by_current_thread(mutex));
        make_asking_child(fork_by_clone, client, mutex, lent);
        assert_that(curator_mutex_is_owned_by_current_thread(mutex));
        run_program();
        assert_that(curator_mutex_is_owned_by_current_thread(mutex));
    }
    assert_ok(curator_framework_return_handle(client, lent));
    assert_ok(curator_mutex_release(mutex));
    assert_ok(curator_mutex_acquire_for(mutex, bound_ms(5000)));
    assert_ok(curator_mutex_release(mutex));
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_framework_close(client));
    return 0;
}
