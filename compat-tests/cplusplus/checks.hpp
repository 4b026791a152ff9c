// SPDX-License-Identifier: Apache-2.0
// The words in which the C++ test programs are written. A word that does not hold ends the program with 1.
#ifndef CHECKS_HPP
#define CHECKS_HPP

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <curator/curator.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#define CHECK(condition) checks::that(__FILE__, __LINE__, #condition, condition)
#define CHECK_THROWS(status, ...) checks::throws(__FILE__, __LINE__, #__VA_ARGS__, status, [&] { __VA_ARGS__; })

namespace checks
{

[[noreturn]] inline void fail(const char *file, int line, const std::string &what)
{
    std::fprintf(stderr, "%s:%d: %s\n  last error: %s\n", file, line, what.c_str(), curator_last_error());
    std::exit(1);
}

inline void that(const char *file, int line, const char *condition, bool holds)
{
    if (!holds) {
        fail(file, line, std::string("not so: ") + condition);
    }
}

inline void throws(const char *file, int line, const char *call, curator_status expected,
                   const std::function<void()> &fn)
{
    try {
        fn();
    } catch (const curator::error &error) {
        if (error.status() != expected || *error.what() == '\0') {
            fail(file, line, std::string(call) + " threw " + error.what());
        }
        return;
    }
    fail(file, line, std::string(call) + " did not throw");
}

/** Time limits are stretched where programs run slowly. */
inline std::chrono::milliseconds bound(std::chrono::milliseconds time)
{
    const char *slow = std::getenv("CURATOR_SLOW");
    const double factor = slow != nullptr ? std::atof(slow) : 1.0;
    return std::chrono::duration_cast<std::chrono::milliseconds>(time * factor);
}

/** Something that happens once, on another thread. */
class event
{
  public:
    void set()
    {
        const std::lock_guard<std::mutex> hold(access_);
        happened_ = true;
        changed_.notify_all();
    }

    bool wait()
    {
        std::unique_lock<std::mutex> hold(access_);
        return changed_.wait_for(hold, bound(std::chrono::seconds(20)), [this] { return happened_; });
    }

  private:
    std::mutex access_;
    std::condition_variable changed_;
    bool happened_ = false;
};

/** Runs a function on another thread, to its end. */
inline void elsewhere(const std::function<void()> &fn)
{
    std::thread(fn).join();
}

/** True as soon as the condition holds. */
inline bool becomes_true(const std::function<bool()> &condition)
{
    const auto end = std::chrono::steady_clock::now() + bound(std::chrono::seconds(20));
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

} // namespace checks

#endif
