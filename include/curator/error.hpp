// SPDX-License-Identifier: Apache-2.0
/** \file
 * Failures as exceptions: a status for the program, and the sentence of curator_last_error() for the log.
 */
#ifndef CURATOR_ERROR_HPP
#define CURATOR_ERROR_HPP

#include <curator/status.h>
#include <new>
#include <string>
#include <system_error>

namespace curator
{

namespace detail
{

class category final : public std::error_category
{
  public:
    const char *name() const noexcept override
    {
        return "curator";
    }

    std::string message(int status) const override
    {
        return curator_status_string(static_cast<curator_status>(status));
    }

    /** So that `e.code() == std::errc::timed_out` works, and what the standard says of mutexes. */
    std::error_condition default_error_condition(int status) const noexcept override
    {
        switch (static_cast<curator_status>(status)) {
        case CURATOR_TIMED_OUT:
            return std::errc::timed_out;
        case CURATOR_INTERRUPTED:
            return std::errc::interrupted;
        case CURATOR_NOT_OWNER:
            return std::errc::operation_not_permitted;
        case CURATOR_WOULD_DEADLOCK:
            return std::errc::resource_deadlock_would_occur;
        case CURATOR_CONNECTION_LOSS:
            return std::errc::not_connected;
        case CURATOR_NO_AUTH:
            return std::errc::permission_denied;
        case CURATOR_INVALID_ARGUMENT:
            return std::errc::invalid_argument;
        default:
            return {status, *this};
        }
    }
};

} // namespace detail

/** The category of curator::error: a value is a ::curator_status. */
inline const std::error_category &error_category() noexcept
{
    static const detail::category instance;
    return instance;
}

/**
 * A call failed.
 *
 * A std::system_error, as the standard has a mutex throw: code that handles those of std::mutex handles these. what()
 * is the sentence of curator_last_error(), followed by the name of the status.
 */
class CURATOR_API error : public std::system_error
{
  public:
    error(curator_status status, const char *sentence)
        : std::system_error(static_cast<int>(status), error_category(), sentence)
    {
    }

    /** What the call answered; never CURATOR_OK, and never CURATOR_NO_MEMORY, which is thrown as std::bad_alloc. */
    curator_status status() const noexcept
    {
        return static_cast<curator_status>(code().value());
    }
};

namespace detail
{

/** Throws the last failure of this thread, unless the status is CURATOR_OK. */
inline void check(curator_status status)
{
    if (status == CURATOR_NO_MEMORY) {
        throw std::bad_alloc();
    }
    if (status != CURATOR_OK) {
        throw error(status, curator_last_error());
    }
}

/** The same for a call with a time limit: false if the time has passed. */
inline bool check_timed(curator_status status)
{
    if (status == CURATOR_TIMED_OUT) {
        return false;
    }
    check(status);
    return true;
}

} // namespace detail

} // namespace curator

#endif
