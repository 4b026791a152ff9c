// SPDX-License-Identifier: Apache-2.0
// What the durations and time points of <chrono> are in milliseconds. Needs no server.
#include "checks.hpp"
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace
{

using std::chrono::duration;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::int64_t FOR_EVER = std::numeric_limits<std::int64_t>::max();

constexpr std::int64_t in_ms(nanoseconds time)
{
    return curator::detail::milliseconds(time);
}

static_assert(in_ms(nanoseconds(0)) == 0);
static_assert(in_ms(nanoseconds(1)) == 1, "no wait is shorter than asked for");
static_assert(in_ms(nanoseconds(999999)) == 1);
static_assert(in_ms(milliseconds(1)) == 1);
static_assert(in_ms(nanoseconds(1000001)) == 2);
static_assert(in_ms(milliseconds(2000)) == 2000);
static_assert(in_ms(nanoseconds(-1)) == 0);
static_assert(in_ms(nanoseconds::min()) == 0);
static_assert(in_ms(nanoseconds::max()) == 9223372036855, "292 years, rounded up");
static_assert(curator::detail::milliseconds(hours(24)) == 86400000);
static_assert(curator::detail::milliseconds(milliseconds::max()) == FOR_EVER);
static_assert(curator::detail::milliseconds(milliseconds::min()) == 0);
static_assert(curator::detail::milliseconds(hours::max()) == FOR_EVER, "which std::chrono cannot count in ms");
static_assert(curator::detail::milliseconds(hours::min()) == 0);
static_assert(curator::detail::milliseconds(duration<std::uint8_t>(3)) == 3000);
static_assert(curator::detail::milliseconds(duration<std::uint64_t>::max()) == FOR_EVER);
static_assert(curator::detail::milliseconds(duration<double>(0.0011)) == 2);
static_assert(curator::detail::milliseconds(duration<float>(0.5F)) == 500);
static_assert(curator::detail::milliseconds(duration<double>(-3.0)) == 0);
static_assert(curator::detail::milliseconds(duration<double>(std::numeric_limits<double>::infinity())) == FOR_EVER);
static_assert(curator::detail::milliseconds(duration<int, std::ratio<1, 3>>(1)) == 334, "a third of a second");

/** A clock that the test sets. */
struct hand_clock {
    using rep = std::int64_t;
    using period = std::micro;
    using duration = microseconds;
    using time_point = std::chrono::time_point<hand_clock>;
    [[maybe_unused]] static constexpr bool is_steady = false;
    static inline time_point shown{}; // NOLINT(cert-err58-cpp): its constructor is constexpr

    static time_point now()
    {
        return shown;
    }
};

void what_is_no_number_is_no_time()
{
    CHECK(curator::detail::milliseconds(duration<double>(std::nan(""))) == 0);
}

void time_points_are_relative_to_their_own_clock()
{
    hand_clock::shown = hand_clock::time_point(seconds(100));
    const auto in = [](auto time) { return curator::detail::milliseconds_until(time); };
    CHECK(in(hand_clock::shown) == 0);
    CHECK(in(hand_clock::shown + microseconds(1)) == 1);
    CHECK(in(hand_clock::shown + microseconds(1000)) == 1);
    CHECK(in(hand_clock::shown + microseconds(1001)) == 2);
    CHECK(in(hand_clock::shown - hours(1)) == 0);
    CHECK(in(hand_clock::time_point::min()) == 0);
    CHECK(in(std::chrono::time_point<hand_clock, hours>::max()) == FOR_EVER);
    CHECK(in(std::chrono::time_point<hand_clock, hours>::min()) == 0);
    CHECK(in(std::chrono::system_clock::time_point::min()) == 0);
    CHECK(in(std::chrono::steady_clock::time_point::max()) > 9000000000000);
}

/** What the waits were asked for, while the clock is moved by each. */
std::vector<std::int64_t> waits(microseconds each, hand_clock::time_point until)
{
    std::vector<std::int64_t> asked;
    CHECK(!curator::detail::wait_until(until, [&](std::int64_t timeout_ms) {
        asked.push_back(timeout_ms);
        hand_clock::shown += each;
        return false;
    }));
    return asked;
}

void a_clock_that_falls_behind_is_waited_for_again()
{
    const auto until = hand_clock::shown + milliseconds(10);
    CHECK((waits(milliseconds(10), until) == std::vector<std::int64_t>{10}));
    CHECK((waits(milliseconds(0), until) == std::vector<std::int64_t>{0}));
    CHECK((waits(milliseconds(4), hand_clock::shown + milliseconds(10)) == std::vector<std::int64_t>{10, 6, 2}));
    CHECK(curator::detail::wait_until(hand_clock::shown - seconds(1), [](std::int64_t ms) { return ms == 0; }));
}

} // namespace

int main()
{
    what_is_no_number_is_no_time();
    time_points_are_relative_to_their_own_clock();
    a_clock_that_falls_behind_is_waited_for_again();
    return 0;
}
