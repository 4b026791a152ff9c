/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One client of a ZooKeeper ensemble: its session, its connection states, its namespace.
 * Ports org.apache.curator.framework.CuratorFramework.
 *
 * No call is a cancellation point: pthread_cancel() takes effect after it.
 */
#ifndef CURATOR_FRAMEWORK_H
#define CURATOR_FRAMEWORK_H

#include <curator/api.h>
#include <curator/log.h>
#include <curator/retry.h>
#include <curator/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _zhandle;   /* zhandle_t of <zookeeper/zookeeper.h> */
struct ACL_vector; /* of <zookeeper/zookeeper.h>: ZOO_OPEN_ACL_UNSAFE, ZOO_CREATOR_ALL_ACL, ... */

typedef struct curator_framework curator_framework;

/* Ports org.apache.curator.framework.state.ConnectionState. */
typedef enum curator_connection_state {
    CURATOR_CONNECTING = 0, /* not connected yet; never told to listeners */
    CURATOR_CONNECTED,      /* told once, at the first connection */
    CURATOR_SUSPENDED,      /* the connection is gone; the session, and locks held in it, may still live */
    CURATOR_RECONNECTED,    /* connected again, after SUSPENDED with the same session, after LOST with a new one */
    CURATOR_LOST            /* the session is over, or must be taken for over; every lock held in it is lost */
} curator_connection_state;

/*
 * Told every change of the connection state, in order. Runs on the framework's callback thread, with no library lock
 * held; it may call the library, except curator_framework_close(). While it runs other callbacks of this framework
 * wait; nothing else does. One that is more than 16 changes behind is not told of interruptions that are over, nor of
 * each of several lost sessions; but that one was lost, and the newest state, it is always told.
 */
typedef void (*curator_connection_listener)(curator_framework *framework, curator_connection_state state,
                                            void *context);

/* Zero means default, so &(curator_framework_options){ .connect_string = "..." } is complete. Everything is copied. */
typedef struct curator_framework_options {
    /* "host:port,host:port/chroot". Port 2181 where none is given; IPv6 as [::1]:2181. Required. */
    const char *connect_string;
    int64_t session_timeout_ms;    /* 60000; the server may adjust it, see curator_framework_session_timeout() */
    int64_t connection_timeout_ms; /* 15000; how long a call waits for a connection, and for a confirmed delete */
    const curator_retry_policy *retry_policy; /* curator_retry_exponential_backoff(1000, 3) */
    const char *name_space;                   /* prefix of every path, without slashes at its ends; none */
    const char *auth_scheme;                  /* such as "digest"; none */
    const char *auth_credentials;             /* such as "user:password"; required with auth_scheme */
    const struct ACL_vector *acl;             /* of every node this client creates; world:anyone with all rights */
    const void *default_data;                 /* data of lock nodes; this host's address as text */
    size_t default_data_size;                 /* bytes at default_data; with default_data set, 0 means empty data */
    curator_logger logger;                    /* nothing is logged */
    curator_connection_listener connection_listener; /* none; more with curator_framework_add_connection_listener() */
    void *connection_listener_context;
} curator_framework_options;

/*
 * Starts a client and hands it out in *framework, to be closed with curator_framework_close(). Does not wait for a
 * connection and does not resolve names: those go on in the background. Any thread.
 * CURATOR_INVALID_ARGUMENT (a NULL, a negative time, a connect string, name space or policy that is wrong, or sizes
 * that leave no room for a lock's node in what a server accepts), CURATOR_NO_MEMORY, CURATOR_ERROR (no thread could be
 * started). *framework is NULL unless CURATOR_OK.
 * Ports CuratorFrameworkFactory.Builder.build() and CuratorFramework.start().
 */
CURATOR_API curator_status curator_framework_open(curator_framework **framework,
                                                  const curator_framework_options *options);

/*
 * Ends the client: threads that wait in its calls return CURATOR_CLOSED before this returns, the session is closed on
 * the server, and with it every lock held through it is free. Its mutexes are destroyed before or after; until then
 * their calls answer CURATOR_CLOSED, and so does this one if it is called again. Once the last of them is gone, the
 * framework must not be used any more.
 * Blocks about a millisecond; at most 5 seconds when the server is silent, plus the time of a user callback that is
 * running, plus that of the logger for the lines that wait for it, plus up to 5 seconds for a handle that is still
 * lent. Of two threads that close at once one is answered CURATOR_CLOSED.
 * CURATOR_CONNECTION_LOSS: closed, but the server could not be told: the session, and locks held in it, may linger for
 * a session timeout. CURATOR_ERROR: closed, but a handle lent by curator_framework_borrow_handle() was not returned; it
 * is left open. CURATOR_WOULD_DEADLOCK (called from a callback or the logger; nothing is closed), CURATOR_FORKED,
 * CURATOR_INVALID_ARGUMENT, CURATOR_CLOSED (closed before, and a mutex of it still exists).
 * Ports CuratorFramework.close().
 */
CURATOR_API curator_status curator_framework_close(curator_framework *framework);

/*
 * Waits until the client is connected, at most timeout_ms milliseconds (0: only looks). Any thread but a ZooKeeper
 * callback.
 * CURATOR_TIMED_OUT (the sentence names the servers tried, and why if a name cannot be resolved), CURATOR_NO_AUTH (the
 * credentials were refused), CURATOR_WOULD_DEADLOCK, CURATOR_CLOSED, CURATOR_FORKED,
 * CURATOR_INVALID_ARGUMENT. Ports CuratorFramework.blockUntilConnected(int, TimeUnit).
 */
CURATOR_API curator_status curator_framework_await_connected(curator_framework *framework, int64_t timeout_ms);

/*
 * The connection state last published. Any thread; does not block.
 * CURATOR_CLOSED, CURATOR_FORKED, CURATOR_INVALID_ARGUMENT.
 */
CURATOR_API curator_status curator_framework_state(curator_framework *framework, curator_connection_state *state);

/*
 * The session timeout in milliseconds that the server granted; while a session has not been connected yet, the one
 * asked for. Any thread; does not block. CURATOR_CLOSED, CURATOR_FORKED, CURATOR_INVALID_ARGUMENT. Ports
 * CuratorZookeeperClient.getLastNegotiatedSessionTimeoutMs().
 */
CURATOR_API curator_status curator_framework_session_timeout(curator_framework *framework, int64_t *timeout_ms);

/*
 * Adds a listener for the changes to come. The same pair may be added once. Any thread; does not block.
 * CURATOR_INVALID_ARGUMENT (a NULL, or the pair is there already), CURATOR_NO_MEMORY, CURATOR_CLOSED, CURATOR_FORKED.
 * Ports getConnectionStateListenable().addListener().
 */
CURATOR_API curator_status curator_framework_add_connection_listener(curator_framework *framework,
                                                                     curator_connection_listener listener,
                                                                     void *context);

/*
 * Removes a listener: when this returns it is not running and will not run again (called from the callback thread, it
 * may be the one that is running). Blocks as long as a callback that is running. CURATOR_INVALID_ARGUMENT (not there),
 * CURATOR_WOULD_DEADLOCK, CURATOR_CLOSED, CURATOR_FORKED.
 * Ports getConnectionStateListenable().removeListener().
 */
CURATOR_API curator_status curator_framework_remove_connection_listener(curator_framework *framework,
                                                                        curator_connection_listener listener,
                                                                        void *context);

/*
 * Lends the handle of the live session for the caller's own requests, so that they share the session with the locks;
 * every handle lent goes back by curator_framework_return_handle(). It stays valid while it is lent, also when its
 * session has died and another has replaced it. Do not close it. Paths given to it carry the name space; watchers and
 * completions run on the ZooKeeper client's thread, where blocking calls of this library answer CURATOR_WOULD_DEADLOCK.
 * Watches set on it are set anew after a reconnect in one request with the library's own, which leave them 64 kB of
 * paths, chroot included: a request beyond a server's limit breaks the connection again and again.
 * A session that is still connecting is lent too; requests on it wait. NULL (and a sentence in curator_last_error())
 * when there is no session at the moment, after close, and after fork. Any thread; does not block. Ports
 * CuratorZookeeperClient.getZooKeeper().
 */
CURATOR_API struct _zhandle *curator_framework_borrow_handle(curator_framework *framework);

/*
 * Gives a lent handle back. Any thread; does not block.
 * CURATOR_INVALID_ARGUMENT (NULL, or not lent), CURATOR_FORKED.
 */
CURATOR_API curator_status curator_framework_return_handle(curator_framework *framework, struct _zhandle *handle);

#ifdef __cplusplus
}
#endif

#endif
