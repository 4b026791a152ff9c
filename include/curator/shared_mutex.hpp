// SPDX-License-Identifier: Apache-2.0
/** \file
 * Many readers or one writer on one path, as `<curator/read_write_lock.h>`: SharedTimedLockable.
 */
#ifndef CURATOR_SHARED_MUTEX_HPP
#define CURATOR_SHARED_MUTEX_HPP

#include <chrono>
#include <curator/error.hpp>
#include <curator/framework.hpp>
#include <curator/mutex.hpp>
#include <curator/read_write_lock.h>
#include <string>
#include <string_view>
#include <utility>

namespace curator
{

/**
 * A read-write lock. Writers lock it with std::unique_lock, readers with std::shared_lock.
 *
 * Each side is a curator::mutex, with all that one has. A thread that holds the write lock may lock for reading too,
 * and reads on in the writer's place after it has unlocked for writing. A thread that holds only the read lock cannot
 * get the write lock: lock() throws CURATOR_WOULD_DEADLOCK.
 *
 * A loss is one of a side: read_side() and write_side() each have on_lost(), on_endangered(), lost() and
 * unlock_status() of their own. unlock() and unlock_shared() return it. After a guard, which drops that, ask
 * write_side().unlock_status() (std::unique_lock) or read_side().unlock_status() (std::shared_lock). A thread that
 * holds both sides and loses its session loses both, and each side's function is called.
 */
class shared_mutex
{
  public:
    /** Sends nothing yet. */
    shared_mutex(framework &client, const std::string &path)
    {
        detail::check(curator_read_write_lock_create(&lock_, client.open_handle(), path.c_str()));
        take_sides();
    }

    /** With data for the nodes of both sides. */
    shared_mutex(framework &client, const std::string &path, std::string_view data)
    {
        detail::check(curator_read_write_lock_create_with_data(&lock_, client.open_handle(), path.c_str(),
                                                               data.empty() ? "" : data.data(), data.size()));
        take_sides();
    }

    shared_mutex(shared_mutex &&other) noexcept
        : lock_(std::exchange(other.lock_, nullptr)), read_(std::move(other.read_)), write_(std::move(other.write_))
    {
    }

    shared_mutex &operator=(shared_mutex &&other) noexcept
    {
        shared_mutex old(std::move(*this));
        lock_ = std::exchange(other.lock_, nullptr);
        read_ = std::move(other.read_);
        write_ = std::move(other.write_);
        return *this;
    }

    shared_mutex(const shared_mutex &) = delete;
    shared_mutex &operator=(const shared_mutex &) = delete;

    /** As that of curator::mutex. */
    ~shared_mutex()
    {
        if (lock_ != nullptr && curator_read_write_lock_destroy(lock_) == CURATOR_WOULD_DEADLOCK) {
            static_cast<void>(read_.state_.release());
            static_cast<void>(write_.state_.release());
        }
    }

    /** The side for reading, which ends with this object. */
    mutex &read_side() noexcept
    {
        return read_;
    }

    /** The side for writing, which ends with this object. */
    mutex &write_side() noexcept
    {
        return write_;
    }

    /** curator::mutex::lock() of the write side, as what follows. */
    void lock()
    {
        write_.lock();
    }

    bool try_lock()
    {
        return write_.try_lock();
    }

    template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &timeout)
    {
        return write_.try_lock_for(timeout);
    }

    template <class Clock, class Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration> &time)
    {
        return write_.try_lock_until(time);
    }

    curator_status unlock() noexcept
    {
        return write_.unlock();
    }

    /** curator::mutex::lock() of the read side, as what follows. */
    void lock_shared()
    {
        read_.lock();
    }

    bool try_lock_shared()
    {
        return read_.try_lock();
    }

    template <class Rep, class Period> bool try_lock_shared_for(const std::chrono::duration<Rep, Period> &timeout)
    {
        return read_.try_lock_for(timeout);
    }

    template <class Clock, class Duration>
    bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration> &time)
    {
        return read_.try_lock_until(time);
    }

    curator_status unlock_shared() noexcept
    {
        return read_.unlock();
    }

    /** For functions of the C headers; NULL after a move. Belongs to this object. */
    curator_read_write_lock *native_handle() const noexcept
    {
        return lock_;
    }

  private:
    curator_read_write_lock *lock_ = nullptr;
    mutex read_;
    mutex write_;

    void take_sides() noexcept
    {
        read_.state_->handle = curator_read_write_lock_read_side(lock_);
        write_.state_->handle = curator_read_write_lock_write_side(lock_);
    }
};

} // namespace curator

#endif
