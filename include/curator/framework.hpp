// SPDX-License-Identifier: Apache-2.0
/** \file
 * A client of a ZooKeeper ensemble, as `<curator/framework.h>`.
 */
#ifndef CURATOR_FRAMEWORK_HPP
#define CURATOR_FRAMEWORK_HPP

#include <atomic>
#include <chrono>
#include <cstdint>
#include <curator/duration.hpp>
#include <curator/error.hpp>
#include <curator/framework.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace curator
{

class framework;
class mutex;
class shared_mutex;
void revoke(framework &client, const std::string &lock_path);

/** Takes a log line, on the framework's log thread. */
using log_function = std::function<void(curator_log_level level, const char *line)>;

/** Takes an event with how long it took and how it ended, on the framework's log thread. */
using trace_function = std::function<void(const curator_trace &trace)>;

/** Takes a new connection state, on the framework's callback thread. */
using connection_listener = std::function<void(curator_connection_state state)>;

/** Decides whether a call tries again, on the thread of the call: the pause before the next try, or none to give up. */
using retry_function =
    std::function<std::optional<std::chrono::milliseconds>(int retry_count, std::chrono::milliseconds elapsed)>;

/** What a framework is opened with, as ::curator_framework_options. What is not set is the default. */
struct framework_options {
    std::string connect_string = {};                       /**< Required. */
    std::chrono::milliseconds session_timeout = {};        /**< 0: the default, 60 s. */
    std::chrono::milliseconds connection_timeout = {};     /**< 0: the default, 15 s. */
    std::optional<curator_retry_policy> retry_policy = {}; /**< Such as curator_retry_n_times(). */
    retry_function retry = {};                             /**< Used instead of retry_policy. Must not block. */
    std::string name_space = {};                           /**< The prefix of every path. */
    std::string auth_scheme = {};                          /**< Such as "digest". */
    std::string auth_credentials = {};                     /**< Such as "user:password". */
    const ACL_vector *acl = nullptr;                       /**< Copied. */
    std::optional<std::string> default_data = {};          /**< The data of lock nodes. */
    bool enable_compression = false;                       /**< As Curator's enableCompression(). */
    log_function log = {};                                 /**< None: nothing is logged. */
    curator_log_level log_level = CURATOR_LOG_DEFAULT;     /**< Lines above it are not passed on. */
    curator::connection_listener connection_listener = {}; /**< Misses no state. */
    trace_function trace = {};                             /**< None: nothing is traced. */
};

namespace detail
{

/** A listener. The reference that a running call has keeps the function, also if it removes itself. */
struct listener : std::enable_shared_from_this<listener> {
    connection_listener fn;

    explicit listener(connection_listener function) : fn(std::move(function))
    {
    }

    static void call(curator_framework * /*framework*/, curator_connection_state state, void *context) noexcept
    {
        const auto self = static_cast<listener *>(context)->shared_from_this();
        self->fn(state);
    }
};

/** An open framework with the functions that it calls, which therefore live as long as it does. */
struct framework_state {
    curator_framework *handle = nullptr;
    std::atomic<bool> closed{false};
    log_function log;
    trace_function trace;
    retry_function retry;
    std::shared_ptr<listener> first_listener;
    std::mutex access; /* guards what follows; no call of the library is made under it */
    std::map<std::uint64_t, std::shared_ptr<listener>> listeners;
    std::uint64_t last_listener = 0;

    static void call_log(curator_log_level level, const char *line, void *context) noexcept
    {
        static_cast<framework_state *>(context)->log(level, line);
    }

    static void call_trace(const curator_trace *event, void *context) noexcept
    {
        static_cast<framework_state *>(context)->trace(*event);
    }

    static bool call_retry(int count, std::int64_t elapsed_ms, std::int64_t *sleep_ms, void *context) noexcept
    {
        const auto pause = static_cast<framework_state *>(context)->retry(count, std::chrono::milliseconds(elapsed_ms));
        *sleep_ms = pause ? pause->count() : 0;
        return pause.has_value();
    }

    void open(const framework_options &options)
    {
        curator_framework_options given = {};
        curator_retry_policy policy = {};
        log = options.log;
        trace = options.trace;
        retry = options.retry;
        given.connect_string = options.connect_string.c_str();
        given.session_timeout_ms = options.session_timeout.count();
        given.connection_timeout_ms = options.connection_timeout.count();
        if (retry || options.retry_policy) {
            policy = retry ? curator_retry_custom(call_retry, this) : *options.retry_policy;
            given.retry_policy = &policy;
        }
        given.name_space = text(options.name_space);
        given.auth_scheme = text(options.auth_scheme);
        given.auth_credentials = text(options.auth_credentials);
        given.acl = options.acl;
        if (options.default_data) {
            given.default_data = options.default_data->data();
            given.default_data_size = options.default_data->size();
        }
        given.enable_compression = options.enable_compression ? 1 : 0;
        if (log) {
            given.logger = {call_log, this, options.log_level};
        }
        if (trace) {
            given.tracer = {call_trace, this};
        }
        if (options.connection_listener) {
            first_listener = std::make_shared<listener>(options.connection_listener);
            given.connection_listener = listener::call;
            given.connection_listener_context = first_listener.get();
        }
        check(curator_framework_open(&handle, &given));
    }

    curator_status close() noexcept
    {
        if (closed) {
            return CURATOR_CLOSED;
        }
        const curator_status status = curator_framework_close(handle);
        closed = status != CURATOR_WOULD_DEADLOCK;
        return status;
    }

    /** A string is empty where C has NULL. */
    static const char *text(const std::string &string)
    {
        return string.empty() ? nullptr : string.c_str();
    }
};

} // namespace detail

/** A handle of ZooKeeper's C client, lent by curator::framework::borrow_handle() and returned at the end of its scope,
 *  which must be before the end of the framework. */
class borrowed_handle
{
  public:
    explicit borrowed_handle(curator_framework *framework)
        : framework_(framework), handle_(curator_framework_borrow_handle(framework))
    {
        if (handle_ == nullptr) {
            const std::string sentence = curator_last_error();
            curator_connection_state state = CURATOR_CONNECTING;
            const curator_status status = curator_framework_state(framework, &state);
            throw error(status == CURATOR_OK ? CURATOR_CONNECTION_LOSS : status, sentence.c_str());
        }
    }

    borrowed_handle(const borrowed_handle &) = delete;
    borrowed_handle &operator=(const borrowed_handle &) = delete;

    ~borrowed_handle()
    {
        curator_framework_return_handle(framework_, handle_);
    }

    /** A zhandle_t. Do not close it. */
    _zhandle *get() const noexcept
    {
        return handle_;
    }

  private:
    curator_framework *framework_;
    _zhandle *handle_;
};

/**
 * A client: from its construction to its destruction one session at a time.
 *
 * The object owns the session. Locks made on it do not keep it open: those that outlive it throw CURATOR_CLOSED, and
 * can be destroyed before or after it. Functions that it is given may call everything but close(), and must not throw:
 * an exception that leaves one ends the program, as one that leaves a std::thread does.
 *
 * The other threads' calls of a framework have to have begun before the close() or the destructor, or come after it.
 */
class framework
{
  public:
    /** Starts a client; does not wait for a connection. */
    explicit framework(const framework_options &options) : state_(std::make_unique<detail::framework_state>())
    {
        state_->open(options);
    }

    /** With the default of everything else. */
    explicit framework(const std::string &connect_string) : state_(std::make_unique<detail::framework_state>())
    {
        framework_options options;
        options.connect_string = connect_string;
        state_->open(options);
    }

    framework(framework &&) noexcept = default;

    framework &operator=(framework &&other) noexcept
    {
        framework old(std::move(*this));
        state_ = std::move(other.state_);
        return *this;
    }

    framework(const framework &) = delete;
    framework &operator=(const framework &) = delete;

    /** As close(). On a callback thread of this framework, where nothing can wait for that thread, another thread
     *  closes it. */
    ~framework()
    {
        if (state_ && state_->close() == CURATOR_WOULD_DEADLOCK) {
            close_elsewhere(state_.release());
        }
    }

    /** As curator_framework_close(), whose status it returns: the framework is closed unless that is
     *  CURATOR_WOULD_DEADLOCK. Never throws. */
    curator_status close() noexcept
    {
        return state_ ? state_->close() : CURATOR_CLOSED;
    }

    /** Waits until the client is connected; false if it is not in time. */
    template <class Rep, class Period> bool await_connected(const std::chrono::duration<Rep, Period> &timeout)
    {
        return detail::check_timed(curator_framework_await_connected(open_handle(), detail::milliseconds(timeout)));
    }

    /** The connection state last published. */
    curator_connection_state state() const
    {
        curator_connection_state state = CURATOR_CONNECTING;
        detail::check(curator_framework_state(open_handle(), &state));
        return state;
    }

    /** The session timeout that the server granted. */
    std::chrono::milliseconds session_timeout() const
    {
        std::int64_t timeout_ms = 0;
        detail::check(curator_framework_session_timeout(open_handle(), &timeout_ms));
        return std::chrono::milliseconds(timeout_ms);
    }

    /** Exchanges the servers without losing the session; see curator_framework_set_servers(). */
    void set_servers(const std::string &connect_string)
    {
        detail::check(curator_framework_set_servers(open_handle(), connect_string.c_str()));
    }

    /** Adds a listener, which stays until it is removed or the framework is closed. Returns its number. */
    std::uint64_t add_connection_listener(connection_listener fn)
    {
        const auto added = std::make_shared<detail::listener>(std::move(fn));
        curator_framework *const handle = open_handle();
        std::uint64_t number = 0;
        {
            const std::lock_guard<std::mutex> hold(state_->access);
            number = ++state_->last_listener;
            state_->listeners.emplace(number, added);
        }
        const curator_status status =
            curator_framework_add_connection_listener(handle, detail::listener::call, added.get());
        if (status != CURATOR_OK) {
            take_listener(number);
        }
        detail::check(status);
        return number;
    }

    /** Removes a listener by its number. When this returns, it does not run, unless this is called by itself. */
    void remove_connection_listener(std::uint64_t number)
    {
        curator_framework *const handle = open_handle();
        const auto removed = take_listener(number);
        if (removed == nullptr) {
            throw error(CURATOR_INVALID_ARGUMENT, "remove_connection_listener: there is no listener of that number");
        }
        const curator_status status =
            curator_framework_remove_connection_listener(handle, detail::listener::call, removed.get());
        if (status != CURATOR_OK) { /* it is still there */
            const std::lock_guard<std::mutex> hold(state_->access);
            state_->listeners.emplace(number, removed);
        }
        detail::check(status);
    }

    /** Lends the session's handle for requests of your own; see curator_framework_borrow_handle(). */
    borrowed_handle borrow_handle()
    {
        return borrowed_handle(open_handle());
    }

    /** For functions of the C headers; NULL after a move and after close(). */
    curator_framework *native_handle() const noexcept
    {
        return state_ && !state_->closed ? state_->handle : nullptr;
    }

  private:
    friend class mutex;
    friend class shared_mutex;
    friend void revoke(framework &client, const std::string &lock_path);

    std::unique_ptr<detail::framework_state> state_;

    curator_framework *open_handle() const
    {
        if (state_ && state_->closed) {
            throw error(CURATOR_CLOSED, "the framework was closed");
        }
        return native_handle(); /* C refuses the NULL of an object that was moved from */
    }

    std::shared_ptr<detail::listener> take_listener(std::uint64_t number)
    {
        const std::lock_guard<std::mutex> hold(state_->access);
        const auto found = state_->listeners.find(number);
        if (found == state_->listeners.end()) {
            return nullptr;
        }
        auto taken = std::move(found->second);
        state_->listeners.erase(found);
        return taken;
    }

    /** If there is no thread to be had, the session stays open: its functions may still be called. */
    static void close_elsewhere(detail::framework_state *state) noexcept
    {
        try {
            std::thread([state] {
                state->close();
                delete state;
            }).detach();
        } catch (...) { // NOLINT(bugprone-empty-catch)
        }
    }
};

} // namespace curator

#endif
