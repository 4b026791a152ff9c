// SPDX-License-Identifier: Apache-2.0
/** \file
 * Durations and time points of `<chrono>` as the milliseconds that the C functions take. For the other headers only.
 */
#ifndef CURATOR_DURATION_HPP
#define CURATOR_DURATION_HPP

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

namespace curator::detail
{

/** Any duration in milliseconds. In this type none overflows, and each whole number of ms in 64 bits is exact enough:
 *  an error shows only beyond 2^53 ms, which are 285,000 years. */
using wide_ms = std::chrono::duration<long double, std::milli>;

/** Rounded up, so that no wait is shorter than asked for. Nothing below 0, and no number (NaN), are 0; what is too
 *  large is for ever. */
constexpr std::int64_t round_up(wide_ms time) noexcept
{
    const long double ms = time.count();
    if (!(ms > 0)) {
        return 0;
    }
    if (ms >= 9223372036854775807.0L) {
        return std::numeric_limits<std::int64_t>::max();
    }
    const auto whole = static_cast<std::int64_t>(ms);
    return static_cast<long double>(whole) < ms ? whole + 1 : whole;
}

template <class Rep, class Period>
constexpr std::int64_t milliseconds(const std::chrono::duration<Rep, Period> &time) noexcept
{
    return round_up(wide_ms(time));
}

/** How long it is until a time point of any clock. */
template <class Clock, class Duration>
std::int64_t milliseconds_until(const std::chrono::time_point<Clock, Duration> &time)
{
    return round_up(wide_ms(time.time_since_epoch()) - wide_ms(Clock::now().time_since_epoch()));
}

/**
 * Waits with a time limit until a time point: wait(ms) returns false when its time has passed.
 *
 * A clock can be set back meanwhile; then it is waited for again, for the rest.
 */
template <class Clock, class Duration, class Wait>
bool wait_until(const std::chrono::time_point<Clock, Duration> &time, Wait wait)
{
    for (;;) {
        if (wait(milliseconds_until(time))) {
            return true;
        }
        if (milliseconds_until(time) == 0) {
            return false;
        }
    }
}

} // namespace curator::detail

#endif
