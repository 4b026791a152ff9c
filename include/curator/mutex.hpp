// SPDX-License-Identifier: Apache-2.0
/** \file
 * A re-entrant, fair mutex across processes and languages, as `<curator/mutex.h>`: TimedLockable.
 */
#ifndef CURATOR_MUTEX_HPP
#define CURATOR_MUTEX_HPP

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <curator/contenders.h>
#include <curator/duration.hpp>
#include <curator/error.hpp>
#include <curator/framework.hpp>
#include <curator/mutex.h>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace curator
{

/** One node in the queue of a lock, as ::curator_contender. */
struct contender {
    using time_point = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

    std::string path;            /**< The node: full path, without the name space. */
    curator_contender_kind kind; /**< What it wants. */
    bool holds;                  /**< It holds the lock; otherwise it waits. */
    bool readable;               /**< False: its ACL forbids this client to read its data. */
    std::int64_t session_id;     /**< Of the session that it ends with; 0: of none. */
    time_point created;          /**< By the server's clock. */
    std::int64_t token;          /**< What mutex::token() returns to its owner once it holds. */
    std::string data;            /**< The first CURATOR_CONTENDER_DATA_MAX bytes of its data. */
    std::size_t data_length;     /**< Bytes that the node has. */
};

namespace detail
{

inline contender contender_of(const curator_contender &node)
{
    return {node.path,       node.kind,
            node.holds,      node.readable,
            node.session_id, contender::time_point(std::chrono::milliseconds(node.created_ms)),
            node.token,      std::string(static_cast<const char *>(node.data), node.data_size),
            node.data_length};
}

/** The last unlocks of a thread that did not answer CURATOR_OK, the newest first, each under its mutex's number. */
struct failed_unlocks {
    struct entry {
        std::uint64_t number; /* 0: free */
        curator_status status;
    };
    static constexpr std::size_t MAX_ENTRIES = 8;
    std::array<entry, MAX_ENTRIES> entries;

    void set(std::uint64_t number, curator_status status) noexcept
    {
        std::size_t place = place_of(number);
        if (status == CURATOR_OK) {
            if (place < MAX_ENTRIES) {
                entries[place].number = 0;
            }
            return;
        }
        place = place < MAX_ENTRIES ? place : place_of(0);
        place = place < MAX_ENTRIES ? place : MAX_ENTRIES - 1; /* the oldest is forgotten */
        for (; place > 0; place--) {
            entries[place] = entries[place - 1];
        }
        entries[0] = {number, status};
    }

    curator_status get(std::uint64_t number) const noexcept
    {
        const std::size_t place = place_of(number);
        return place < MAX_ENTRIES ? entries[place].status : CURATOR_OK;
    }

  private:
    std::size_t place_of(std::uint64_t number) const noexcept
    {
        std::size_t place = 0;
        while (place < MAX_ENTRIES && entries[place].number != number) {
            place++;
        }
        return place;
    }
};

CURATOR_API inline thread_local failed_unlocks unlocks_of_this_thread = {};
CURATOR_API inline std::atomic<std::uint64_t> last_mutex_number{0};

using callback = std::function<void()>;

/** What a mutex of C calls, where it stays until that is destroyed, however often the C++ object is moved. */
struct mutex_state {
    curator_mutex *handle = nullptr;
    std::uint64_t number = ++last_mutex_number;
    std::mutex access; /* guards what follows; neither a call of the library nor a function is called under it */
    std::shared_ptr<const callback> lost;
    std::shared_ptr<const callback> endangered;
    std::shared_ptr<const callback> revoke;

    /** The running call keeps its function, also if the function is replaced or the mutex destroyed in it. */
    template <std::shared_ptr<const callback> mutex_state::*Which>
    static void call(curator_mutex * /*mutex*/, void *context) noexcept
    {
        auto *const self = static_cast<mutex_state *>(context);
        std::shared_ptr<const callback> fn;
        {
            const std::lock_guard<std::mutex> hold(self->access);
            fn = self->*Which;
        }
        if (fn) {
            (*fn)();
        }
    }

    using c_callback = void (*)(curator_mutex *mutex, void *context);

    /** Sets or removes a function, here before C calls it, and in C, by set_in_c(handle, fn, context), before it is
     *  gone. */
    template <std::shared_ptr<const callback> mutex_state::*Which, class Setter> void set(callback fn, Setter set_in_c)
    {
        auto wanted = fn ? std::make_shared<const callback>(std::move(fn)) : nullptr;
        const c_callback called = wanted ? call<Which> : nullptr;
        std::shared_ptr<const callback> old = wanted ? exchange<Which>(wanted) : nullptr;
        const curator_status status = set_in_c(handle, called, this);
        if (status != CURATOR_OK && wanted) {
            wanted = exchange<Which>(old);
        } else if (status == CURATOR_OK && !wanted) {
            old = exchange<Which>(nullptr);
        }
        check(status);
    }

  private:
    template <std::shared_ptr<const callback> mutex_state::*Which>
    std::shared_ptr<const callback> exchange(std::shared_ptr<const callback> fn)
    {
        const std::lock_guard<std::mutex> hold(access);
        return std::exchange(this->*Which, std::move(fn));
    }
};

} // namespace detail

/**
 * A mutex. Works with std::unique_lock, std::lock_guard and std::scoped_lock.
 *
 * May be shared by any number of threads; the lock belongs to the thread that acquired it, which may acquire it again,
 * and unlocks it as often. A lock can be lost while it is held: lost() tells, and so does unlock().
 *
 * Moving a mutex moves the lock with it, but not the pointers of the std::unique_lock objects that hold it, so move it
 * only while nobody uses it. The calls of an object that was moved from throw CURATOR_INVALID_ARGUMENT.
 *
 * Functions that it is given run on the framework's callback thread, and must not throw.
 */
class mutex
{
  public:
    /** Sends nothing yet. */
    mutex(framework &client, const std::string &path) : mutex()
    {
        detail::check(curator_mutex_create(&state_->handle, client.open_handle(), path.c_str()));
        owning_ = true;
    }

    /** With data of its own for the lock nodes. */
    mutex(framework &client, const std::string &path, std::string_view data) : mutex()
    {
        detail::check(curator_mutex_create_with_data(&state_->handle, client.open_handle(), path.c_str(),
                                                     data.empty() ? "" : data.data(), data.size()));
        owning_ = true;
    }

    mutex(mutex &&other) noexcept = default;

    mutex &operator=(mutex &&other) noexcept
    {
        mutex old(std::move(*this));
        state_ = std::move(other.state_);
        owning_ = other.owning_;
        return *this;
    }

    mutex(const mutex &) = delete;
    mutex &operator=(const mutex &) = delete;

    /** As curator_mutex_destroy(). On a thread of ZooKeeper's client, where that is refused, the lock stays as it is
     *  until the framework closes, and its memory is not freed. */
    ~mutex()
    {
        if (state_ && owning_ && curator_mutex_destroy(state_->handle) == CURATOR_WOULD_DEADLOCK) {
            static_cast<void>(state_.release()); /* its functions may still be called */
        }
    }

    /** Acquires the lock, waiting as long as it takes. Throws curator::error, also when it is interrupted. */
    void lock()
    {
        detail::check(curator_mutex_acquire(native_handle()));
    }

    /** Tries once, without waiting for other holders; false if somebody else holds it. Needs round trips to the server;
     *  throws when there is no connection within the framework's connection timeout (15 s by default). */
    bool try_lock()
    {
        return acquire_for(0);
    }

    /** Waits at most so long, rounded up to a millisecond. Below 0 is 0, and what is too large is for ever. */
    template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &timeout)
    {
        return acquire_for(detail::milliseconds(timeout));
    }

    /** Waits until the clock shows that time. A clock that is set back is waited for with a new place in the queue. */
    template <class Clock, class Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration> &time)
    {
        return detail::wait_until(time, [this](std::int64_t timeout_ms) { return acquire_for(timeout_ms); });
    }

    /**
     * Undoes one acquire of this thread, as curator_mutex_release(), whose status it returns. Never throws.
     *
     * CURATOR_LOCK_LOST: the work was not protected to its end. Where a guard calls this, ask unlock_status() after.
     */
    curator_status unlock() noexcept
    {
        return unlocked(curator_mutex_release(native_handle()));
    }

    /** The same, and waits at most so long for the confirmation; 0 does not wait. */
    template <class Rep, class Period>
    curator_status unlock_for(const std::chrono::duration<Rep, Period> &timeout) noexcept
    {
        return unlocked(curator_mutex_release_for(native_handle(), detail::milliseconds(timeout)));
    }

    /** What this thread's last unlock() or unlock_for() of this mutex returned; CURATOR_OK before the first. A thread
     *  keeps the last 8 that failed, of different mutexes. */
    curator_status unlock_status() const noexcept
    {
        return state_ ? detail::unlocks_of_this_thread.get(state_->number) : CURATOR_OK;
    }

    /** Whether this thread holds a lock that is not protected any more. Once the framework is closed, where nothing is
     *  held, true on every thread; false on an object that was moved from. */
    bool lost() const noexcept
    {
        std::int64_t token = 0;
        return state_ && !owned() && curator_mutex_fencing_token(native_handle(), &token) != CURATOR_NOT_OWNER;
    }

    /** Whether this thread holds the lock, and has not lost it. */
    bool owned() const noexcept
    {
        return curator_mutex_is_owned_by_current_thread(native_handle());
    }

    /** Whether any thread of this process holds the lock through this object. */
    bool acquired_in_this_process() const noexcept
    {
        return curator_mutex_is_acquired_in_this_process(native_handle());
    }

    /** The fencing token of this thread's hold: larger for every later exclusive grant of the path. Also after a loss,
     *  until the unlock. */
    std::int64_t token() const
    {
        std::int64_t token = 0;
        detail::check(curator_mutex_fencing_token(native_handle(), &token));
        return token;
    }

    /** How long this thread's hold certainly lasts if nothing more is heard from the servers; 0: it is lost. */
    std::chrono::milliseconds lease_remaining() const
    {
        std::int64_t remaining_ms = 0;
        detail::check(curator_mutex_lease_remaining(native_handle(), &remaining_ms));
        return std::chrono::milliseconds(remaining_ms);
    }

    /** Fills in a check that makes a zoo_multi() fail once the lock is lost; see curator_mutex_guard(). */
    void guard(zoo_op &op) const
    {
        detail::check(curator_mutex_guard(native_handle(), &op));
    }

    /** The path of this thread's node. */
    std::string lock_path() const
    {
        char *path = nullptr;
        detail::check(curator_mutex_lock_path(native_handle(), &path));
        const std::unique_ptr<char, decltype(&std::free)> freed(path, std::free);
        return path;
    }

    /** The nodes that hold and wait, the holder first. */
    std::vector<std::string> participants() const
    {
        curator_participants *list = nullptr;
        detail::check(curator_mutex_participants(native_handle(), &list));
        const std::unique_ptr<curator_participants, decltype(&curator_participants_free)> freed(
            list, curator_participants_free);
        return {list->paths, list->paths + list->count};
    }

    /** What the nodes that hold and wait say, in the order in which they get the lock. */
    std::vector<contender> contenders() const
    {
        curator_contenders *list = nullptr;
        detail::check(curator_mutex_contenders(native_handle(), &list));
        const std::unique_ptr<curator_contenders, decltype(&curator_contenders_free)> freed(list,
                                                                                            curator_contenders_free);
        std::vector<contender> all;
        all.reserve(list->count);
        for (std::size_t i = 0; i < list->count; i++) {
            all.push_back(detail::contender_of(*list->contenders[i]));
        }
        return all;
    }

    /** Ends every wait in progress on this object: those calls throw CURATOR_INTERRUPTED. */
    void interrupt()
    {
        detail::check(curator_mutex_interrupt(native_handle()));
    }

    /** Sets the function that is called once for every hold that is lost; an empty one removes it. It may destroy this
     *  mutex. */
    void on_lost(std::function<void()> fn)
    {
        valid_state().set<&detail::mutex_state::lost>(std::move(fn), curator_mutex_on_lost);
    }

    /** Sets the function that is called when a hold certainly lasts no longer than that, at most a quarter of the
     *  session timeout; an empty one removes it. So what the lock protects can be stopped before somebody else can
     *  hold. It may destroy this mutex. */
    void on_endangered(std::chrono::milliseconds before, std::function<void()> fn)
    {
        valid_state().set<&detail::mutex_state::endangered>(
            std::move(fn), [before](curator_mutex *handle, detail::mutex_state::c_callback called, void *context) {
                return curator_mutex_on_endangered(handle, before.count(), called, context);
            });
    }

    /** Sets the function that is called when somebody asks for the lock; an empty one makes it irrevocable. */
    void make_revocable(std::function<void()> fn)
    {
        valid_state().set<&detail::mutex_state::revoke>(std::move(fn), curator_mutex_make_revocable);
    }

    /** Whether somebody has asked for this thread's own hold. */
    bool revocation_requested() const
    {
        bool requested = false;
        detail::check(curator_mutex_revocation_requested(native_handle(), &requested));
        return requested;
    }

    /** For functions of the C headers; NULL after a move. Belongs to this object. */
    curator_mutex *native_handle() const noexcept
    {
        return state_ ? state_->handle : nullptr;
    }

  private:
    friend class shared_mutex;

    std::unique_ptr<detail::mutex_state> state_;
    bool owning_ = false; /* a side of a read-write lock is destroyed with it */

    mutex() : state_(std::make_unique<detail::mutex_state>())
    {
    }

    curator_status unlocked(curator_status status) const noexcept
    {
        if (state_) {
            detail::unlocks_of_this_thread.set(state_->number, status);
        }
        return status;
    }

    bool acquire_for(std::int64_t timeout_ms)
    {
        return detail::check_timed(curator_mutex_acquire_for(native_handle(), timeout_ms));
    }

    detail::mutex_state &valid_state() const
    {
        if (state_ == nullptr) {
            throw error(CURATOR_INVALID_ARGUMENT, "the curator::mutex was moved from");
        }
        return *state_;
    }
};

/** Asks the holder of a node to release its lock, such as the first of curator::mutex::participants(). */
inline void revoke(framework &client, const std::string &lock_path)
{
    detail::check(curator_revoke(client.open_handle(), lock_path.c_str()));
}

} // namespace curator

#endif
