/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * One client of a ZooKeeper ensemble: its session, its connection states, its name space.
 *
 * A framework has one session at a time, its connection states, its name space and its credentials. Locks are made on
 * it and share its session. When a session ends, the framework opens another by itself. One framework for each process
 * and ensemble is the usual case; each costs one connection and four threads, with a logger or a tracer five.
 *
 * No call is a cancellation point: pthread_cancel() takes effect after it.
 *
 * \code
 * #include <curator/curator.h>
 * #include <stdio.h>
 * #include <zookeeper/zookeeper.h>
 *
 * static void on_state(curator_framework *client, curator_connection_state state, void *context)
 * {
 *     (void)client;
 *     (void)context;
 *     fprintf(stderr, "ZooKeeper: %s\n", curator_connection_state_string(state));
 * }
 *
 * // A client whose nodes nobody can touch without these credentials.
 * curator_status open_shop_client(curator_framework **client, const char *servers, const char *user_and_password)
 * {
 *     curator_framework_options options = {
 *         .connect_string = servers,
 *         .session_timeout_ms = 15000,
 *         .connection_timeout_ms = 5000,
 *         .name_space = "shop",
 *         .auth_scheme = "digest",
 *         .auth_credentials = user_and_password,
 *         .acl = &ZOO_CREATOR_ALL_ACL,
 *         .connection_listener = on_state,
 *     };
 *     curator_status status = curator_framework_open(client, &options);
 *     if (status == CURATOR_OK) {
 *         status = curator_framework_await_connected(*client, 10000);
 *     }
 *     if (status != CURATOR_OK) {
 *         fprintf(stderr, "%s\n", curator_last_error());
 *         curator_framework_close(*client);
 *         *client = NULL;
 *     }
 *     return status;
 * }
 * \endcode
 *
 * \ports org.apache.curator.framework.CuratorFramework
 */
#ifndef CURATOR_FRAMEWORK_H
#define CURATOR_FRAMEWORK_H

#include <curator/api.h>
#include <curator/log.h>
#include <curator/retry.h>
#include <curator/status.h>
#include <curator/tracer.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _zhandle;   /* zhandle_t of <zookeeper/zookeeper.h> */
struct ACL_vector; /* of <zookeeper/zookeeper.h>: ZOO_OPEN_ACL_UNSAFE, ZOO_CREATOR_ALL_ACL, ... */

/** A client. Opaque; from curator_framework_open() to curator_framework_close(). */
typedef struct curator_framework curator_framework;

/**
 * The state of a framework's connection.
 *
 * docs/guarantees.md says what to do on each.
 *
 * \ports org.apache.curator.framework.state.ConnectionState
 */
typedef enum curator_connection_state {
    CURATOR_CONNECTING = 0, /**< Not connected yet. Only curator_framework_state() answers it, no listener gets it. */
    CURATOR_CONNECTED,      /**< Once, at the first connection. */
    CURATOR_SUSPENDED,      /**< The connection is gone; or, while a lock is held, the leader has answered nothing for a
                                 third of the session timeout. The session, and locks held in it, may still live. */
    CURATOR_RECONNECTED,    /**< Connected again: after SUSPENDED with the same session (its lease renewed, if locks are
                                 held), after LOST with a new one. */
    CURATOR_LOST            /**< The session is over, or must be taken for over; every lock held in it is lost. */
} curator_connection_state;

/**
 * Returns the name of a connection state as Curator writes it, such as "SUSPENDED".
 *
 * \param state any value
 * \return the name; "unknown curator_connection_state" for a value that is none. Never NULL; static storage, not to be
 *         freed.
 * \blocks no
 * \threads any
 * \ports ConnectionState.name(); CONNECTING is ours
 */
CURATOR_API const char *curator_connection_state_string(curator_connection_state state);

/**
 * A function that is called at every change of the connection state, in order.
 *
 * It runs on the framework's callback thread, with no library lock held. It may call the library, except
 * curator_framework_close(). While it runs, other callbacks of this framework wait; nothing else does.
 *
 * At most 16 changes wait for the listeners of a framework while a callback runs. For one more the oldest interruption
 * that is over, SUSPENDED and the RECONNECTED after it, is dropped for all listeners; if none waits, the second of two
 * losses with what came between them. So if a session was lost, each listener is called for a LOST, and each is called
 * for the newest state.
 *
 * \param framework the client
 * \param state     the new state
 * \param context   what the listener was added with
 */
typedef void (*curator_connection_listener)(curator_framework *framework, curator_connection_state state,
                                            void *context);

/**
 * What a framework is opened with.
 *
 * Zero means default, so `&(curator_framework_options){.connect_string = "..."}` is complete. Everything is copied.
 * What pointers point at need not live longer than curator_framework_open(), except the functions and contexts of
 * logger, listener, tracer and a custom retry policy.
 */
typedef struct curator_framework_options {
    /** Required. "host:port,host:port/chroot". Port 2181 where none is given; IPv6 as `[::1]:2181`. Blanks around a
     *  server and empty entries are ignored. The chroot must exist, comes last, and has no comma. URLs are refused. */
    const char *connect_string;
    /** Default 60000. The session timeout to ask for, at most 2,147,483,647. The server may grant another, see
     *  curator_framework_session_timeout(). */
    int64_t session_timeout_ms;
    /** Default 15000. How long a call waits for a connection before it asks the retry policy, and how long a release
     *  waits for its confirmation; also the longest time of `curator_mutex_acquire_for(mutex, 0)`. */
    int64_t connection_timeout_ms;
    /** Default `curator_retry_exponential_backoff(1000, 3)`. */
    const curator_retry_policy *retry_policy;
    /** Default none. The prefix of every path, without slashes at its ends; may have several levels: "shop/eu". */
    const char *name_space;
    /** Default none. Such as "digest". */
    const char *auth_scheme;
    /** Required with auth_scheme, and not allowed without. Such as "user:password". */
    const char *auth_credentials;
    /** Default world:anyone with all rights. The ACL of every node that this client creates, parents included.
     *  `&ZOO_CREATOR_ALL_ACL` of `<zookeeper/zookeeper.h>` goes well with credentials. */
    const struct ACL_vector *acl;
    /** Default this host's address as text. The data of lock nodes that have no data of their own; see
     *  curator_process_identity() for data that tell processes apart. The request that creates a lock node has to fit
     *  in 1,048,575 bytes, see docs/operations.md. */
    const void *default_data;
    /** Bytes at default_data. With default_data set, 0 means empty data. */
    size_t default_data_size;
    /** Default: nothing is logged. */
    curator_logger logger;
    /** Default none. It is there from the start, so it misses no state. More are added with
     *  curator_framework_add_connection_listener(). */
    curator_connection_listener connection_listener;
    /** What connection_listener is called with. */
    void *connection_listener_context;
    /** Default: nothing is traced. */
    curator_tracer tracer;
    /** Default 0. 1: the data of nodes and requests to revoke are written gzip'd. Set it if, and only if, the Java
     *  processes on the same locks are opened with `enableCompression()` of Curator 5.8 or later: these fail to read
     *  plain data, and so cannot queue behind a node that has them. What is read is recognised in both forms. */
    int64_t enable_compression;
    /** Room for options to come: must be zero. Anything else is refused, since it comes from memory that was not
     *  initialised, or is an option of a newer library. */
    uint64_t reserved[14];
} curator_framework_options;

/**
 * Says which process this is: "host/pid/program".
 *
 * Made for the `default_data` of ::curator_framework_options, so that holders can be told apart. What the library uses
 * without it is what a Java peer writes: the address that this host's name resolves to, which is 127.0.1.1 on many
 * Debian hosts. The host is what gethostname() says, the program the last part of what it was started as.
 *
 * \code
 * #include <curator/curator.h>
 * #include <stdlib.h>
 * #include <string.h>
 *
 * curator_status open_as_this_process(curator_framework **framework, const char *servers)
 * {
 *     char *identity;
 *     curator_status status = curator_process_identity(&identity);
 *     if (status != CURATOR_OK) {
 *         return status;
 *     }
 *     status = curator_framework_open(framework,
 *                                     &(curator_framework_options){.connect_string = servers,
 *                                                                  .default_data = identity,
 *                                                                  .default_data_size = strlen(identity)});
 *     free(identity);
 *     return status;
 * }
 * \endcode
 *
 * \param identity out: the text, to be freed with free(); NULL unless CURATOR_OK
 * \retval CURATOR_OK               the text is in *identity
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \retval CURATOR_NO_MEMORY        no text
 * \retval CURATOR_ERROR            this host has no name
 * \blocks no
 * \threads any
 * \ports nothing: Curator has none
 */
CURATOR_API curator_status curator_process_identity(char **identity);

/**
 * Starts a client.
 *
 * Does not wait for a connection and does not resolve names: both go on in the background.
 *
 * \param framework out: the client, to be closed with curator_framework_close(); NULL unless CURATOR_OK
 * \param options   copied
 * \retval CURATOR_OK               the client is started
 * \retval CURATOR_INVALID_ARGUMENT a NULL, a negative time, a connect string, name space, ACL or policy that is wrong,
 *                                  or sizes that leave no room for a lock node in what a server accepts; the sentence
 *                                  says what and where
 * \retval CURATOR_NO_MEMORY        nothing is started
 * \retval CURATOR_ERROR            a thread could not be started
 * \blocks no
 * \threads any
 * \ports CuratorFrameworkFactory.Builder.build() and CuratorFramework.start()
 */
CURATOR_API curator_status curator_framework_open(curator_framework **framework,
                                                  const curator_framework_options *options);

/**
 * Closes a client: its calls return, its session ends, and every lock held through it is free.
 *
 * Threads that wait in calls of the framework return CURATOR_CLOSED before this returns. The session is closed on the
 * server. Callbacks that are due are still delivered, and so are log lines.
 *
 * Afterwards the framework is gone. Only curator_mutex_destroy() and curator_read_write_lock_destroy() of the locks
 * made on it may follow (or come before). While one of these locks still exists, its other calls answer CURATOR_CLOSED,
 * and so does a second close. Once the last of them is gone, the framework must not be used any more.
 *
 * \param framework the client
 * \retval CURATOR_OK               closed
 * \retval CURATOR_CONNECTION_LOSS  closed, but no server could be reached: the session, and locks held in it, may
 *                                  live on for a session timeout
 * \retval CURATOR_ERROR            closed, but a handle lent by curator_framework_borrow_handle() was not returned; it
 *                                  is left open
 * \retval CURATOR_WOULD_DEADLOCK   called from a callback, the logger or the tracer; nothing is closed
 * \retval CURATOR_CLOSED           closed before, or by another thread at this moment; answered at once, as long as a
 *                                  lock made on it still exists
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL, or no framework is there: it was closed before, and its memory freed
 * \blocks about a round trip, or until the client is connected or each server has refused, so that no session is left
 *         behind; at most 5 seconds when the server is silent. Plus the time of a user callback that is
 *         running, plus that of the logger and the tracer for what waits for them, plus up to 5 seconds for a handle
 *         that is still lent.
 * \threads any but a callback's and the logger's or tracer's
 * \ports CuratorFramework.close()
 */
CURATOR_API curator_status curator_framework_close(curator_framework *framework);

/**
 * Waits until the client is connected.
 *
 * A chroot in the connect string is looked for, since a session connects without it, and every path is then missing.
 *
 * \param framework  the client
 * \param timeout_ms at most so many milliseconds; 0 only looks at the connection
 * \retval CURATOR_OK               connected
 * \retval CURATOR_TIMED_OUT        not in time; the sentence names the servers tried, and what is known of each
 * \retval CURATOR_NO_AUTH          the server refused the credentials: this framework stays unusable
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_CLOSED           the framework was closed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL or a negative time
 * \retval CURATOR_NO_MEMORY        the chroot could not be looked for
 * \retval CURATOR_ERROR            the chroot does not exist, or the server refused to look
 * \blocks up to timeout_ms
 * \threads any but a ZooKeeper callback's
 * \ports CuratorFramework.blockUntilConnected(int, TimeUnit)
 */
CURATOR_API curator_status curator_framework_await_connected(curator_framework *framework, int64_t timeout_ms);

/**
 * Gets the connection state last published.
 *
 * Listeners may not have been called for it yet.
 *
 * \param framework the client
 * \param state     out; untouched unless CURATOR_OK
 * \retval CURATOR_OK               the state is in *state
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads any
 * \ports CuratorZookeeperClient.isConnected(), and says more
 */
CURATOR_API curator_status curator_framework_state(curator_framework *framework, curator_connection_state *state);

/**
 * Gets the session timeout that the server granted.
 *
 * Until a session is connected for the first time, it is the one asked for.
 *
 * \param framework  the client
 * \param timeout_ms out: milliseconds; untouched unless CURATOR_OK
 * \retval CURATOR_OK               the timeout is in *timeout_ms
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads any
 * \ports CuratorZookeeperClient.getLastNegotiatedSessionTimeoutMs()
 */
CURATOR_API curator_status curator_framework_session_timeout(curator_framework *framework, int64_t *timeout_ms);

/**
 * Exchanges the servers of a running client, without losing its session.
 *
 * For an ensemble whose addresses change. Call it as soon as the new ones serve, and before the old ones are gone.
 *
 * The servers are looked up in the background. Then, if the client is connected to a server that is not among the new
 * ones, it leaves that and connects to one of the new ones with the same session: CURATOR_SUSPENDED is reported, and
 * CURATOR_RECONNECTED as soon as one of them has accepted it. Locks stay held, waits go on in their places, and calls
 * that are interrupted go on as after each lost connection. A client whose server is among the new ones stays there,
 * and uses the new list from its next connection on. One that has never been connected asks the new servers for its
 * session.
 *
 * The new servers have to be of the same ensemble: others do not know the session, which is lost then with its locks,
 * as CURATOR_LOST reports. So are sessions if none of the new servers can be reached for a session timeout. Until then
 * another call can correct the list; the last one counts.
 *
 * A handle that is lent keeps its connection, and the servers it has, until it is returned; nothing is exchanged
 * before. While the handle is exchanged none is lent, which takes some milliseconds. Where the system does not show
 * which socket is the ZooKeeper client's (/proc is not mounted), the client leaves its server when that connection
 * breaks.
 *
 * \param framework      the client
 * \param connect_string as in ::curator_framework_options, with the same chroot; copied
 * \retval CURATOR_OK               the servers are taken over
 * \retval CURATOR_INVALID_ARGUMENT a NULL, a connect string that is wrong, or another chroot; the sentence says what
 *                                  and where, and nothing has changed
 * \retval CURATOR_NO_MEMORY        nothing has changed
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \blocks no
 * \threads any
 * \ports EnsembleProvider.setConnectionString() with updateServerListEnabled(), and ZooKeeper.updateServerList()
 */
CURATOR_API curator_status curator_framework_set_servers(curator_framework *framework, const char *connect_string);

/**
 * Adds a listener for the changes of the connection state to come.
 *
 * Changes that have happened are not repeated.
 *
 * \param framework the client
 * \param listener  the function; the same pair of function and context can be added once
 * \param context   what the listener is called with; must live until the listener is removed or the framework closed
 * \retval CURATOR_OK               added
 * \retval CURATOR_INVALID_ARGUMENT a NULL framework or listener, or the pair is there already
 * \retval CURATOR_NO_MEMORY        not added
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \blocks no
 * \threads any
 * \ports getConnectionStateListenable().addListener()
 */
CURATOR_API curator_status curator_framework_add_connection_listener(curator_framework *framework,
                                                                     curator_connection_listener listener,
                                                                     void *context);

/**
 * Removes a listener.
 *
 * When this returns, the listener is not running and will not run again. Called from the framework's callback thread,
 * it may be the one that is running.
 *
 * \param framework the client
 * \param listener  the function that was added
 * \param context   the context that it was added with
 * \retval CURATOR_OK               removed
 * \retval CURATOR_INVALID_ARGUMENT a NULL framework or listener, or the pair was not added
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \blocks as long as a callback of this framework that is running
 * \threads any but a ZooKeeper callback's
 * \ports getConnectionStateListenable().removeListener()
 */
CURATOR_API curator_status curator_framework_remove_connection_listener(curator_framework *framework,
                                                                        curator_connection_listener listener,
                                                                        void *context);

/**
 * Lends the ZooKeeper handle of the current session, for requests of your own.
 *
 * They share the session with the locks.
 *
 * - The handle stays valid while it is lent, also when its session has died and another has replaced it; requests then
 *   fail. It may be still connecting: requests wait for that, and the synchronous calls of the ZooKeeper client with
 *   them. Do not close it.
 * - Paths given to it carry the name space. The ZooKeeper client takes care of the chroot.
 * - Watchers and completions run on the ZooKeeper client's thread, where blocking calls of this library answer
 *   CURATOR_WOULD_DEADLOCK. Completions can be forgotten when the handle is closed: return it only when they have run.
 * - Watches set on it are set anew after a reconnect, in one request with the library's own, which leave them 64 kB of
 *   paths, chroot included. A request beyond a server's limit breaks the connection again and again.
 * - `<zookeeper/zookeeper.h>` declares the synchronous calls with `#define THREADED`. They have no time limit, see
 *   docs/guarantees.md.
 *
 * \param framework the client
 * \return the handle, a zhandle_t, to be returned with curator_framework_return_handle() as often as it was lent. NULL,
 *         and a sentence in curator_last_error(), when there is no session at the moment, after close, and in a child
 *         process.
 * \blocks no
 * \threads any
 * \ports CuratorZookeeperClient.getZooKeeper()
 */
CURATOR_API struct _zhandle *curator_framework_borrow_handle(curator_framework *framework);

/**
 * Returns a handle that was lent.
 *
 * This also works while another thread closes the framework.
 *
 * \param framework the client
 * \param handle    what curator_framework_borrow_handle() lent
 * \retval CURATOR_OK               returned
 * \retval CURATOR_INVALID_ARGUMENT a NULL, or the handle is not lent
 * \retval CURATOR_FORKED           called in a child process
 * \blocks no
 * \threads any
 * \ports nothing: in Java a garbage collector does it
 */
CURATOR_API curator_status curator_framework_return_handle(curator_framework *framework, struct _zhandle *handle);

#ifdef __cplusplus
}
#endif

#endif
