// SPDX-License-Identifier: Apache-2.0
// A lock whose client is cut off: how long it lasts, the call before it is lost, the call when it is. The link is
// broken when the file that is named exists.
#include "checks.hpp"
#include <atomic>
#include <fstream>
#include <string>

namespace
{

using namespace std::chrono_literals;
using checks::bound;
using checks::event;

constexpr auto BEFORE = 1500ms; // a quarter of the session timeout

using time_point = std::chrono::steady_clock::time_point;

struct reports {
    event warned;
    event lost;
    time_point warned_at; /* each is set before its event */
    time_point lost_at;
    std::atomic<int> warnings{0};
    std::atomic<int> replaced{0};
};

/** Functions that report, after others that are replaced and removed. */
void set_functions(curator::mutex &mutex, reports &to)
{
    mutex.on_endangered(BEFORE, [&] { to.replaced++; });
    mutex.on_endangered({}, {});
    mutex.on_endangered(1s, [&] { to.replaced++; });
    mutex.on_endangered(BEFORE, [&] {
        to.warnings++;
        to.warned_at = std::chrono::steady_clock::now();
        to.warned.set();
    });
    mutex.on_lost([&] {
        to.lost_at = std::chrono::steady_clock::now();
        to.lost.set();
    });
}

void a_side_is_warned_and_loses_as_a_mutex_does(curator::framework &client, const std::string &path,
                                                const std::string &file)
{
    reports writing;
    reports reading;
    curator::shared_mutex lock(client, path);
    set_functions(lock.write_side(), writing);
    set_functions(lock.read_side(), reading);
    lock.lock();
    CHECK(lock.write_side().lease_remaining() > 0ms && !lock.write_side().lost());
    std::ofstream(file).close();
    CHECK(writing.warned.wait() && lock.write_side().lease_remaining() <= BEFORE);
    CHECK(writing.lost.wait() && writing.lost_at - writing.warned_at > BEFORE / 10);
    CHECK(lock.write_side().lease_remaining() == 0ms);
    CHECK(lock.write_side().lost() && !lock.read_side().lost());
    CHECK(writing.warnings == 1 && writing.replaced == 0 && reading.warnings == 0);
    CHECK(lock.unlock() == CURATOR_LOCK_LOST && lock.write_side().unlock_status() == CURATOR_LOCK_LOST);
}

} // namespace

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    curator::framework_options options;
    options.connect_string = argv[1];
    options.session_timeout = 4 * BEFORE;
    curator::framework client(options);
    CHECK(client.await_connected(bound(10s)) && client.session_timeout() == 4 * BEFORE);
    a_side_is_warned_and_loses_as_a_mutex_does(client, argv[2], argv[3]);
    return 0;
}
