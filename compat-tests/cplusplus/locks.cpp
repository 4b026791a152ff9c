// SPDX-License-Identifier: Apache-2.0
// The locks with the guards of the standard, on a server: waits, failures, loss, revocation, and the fencing guard.
#include "checks.hpp"
#include <array>
#include <atomic>
#include <shared_mutex>
#include <system_error>
#include <utility>
#include <vector>
#include <zookeeper/zookeeper.h>

namespace
{

using namespace std::chrono_literals;
using checks::bound;
using checks::elsewhere;

struct setup {
    curator::framework &client;
    std::string path;
};

void an_operator_deletes(curator::framework &client, const std::string &node)
{
    const auto handle = client.borrow_handle();
    CHECK(zoo_delete(handle.get(), node.c_str(), -1) == ZOK);
}

void the_guards_of_the_standard_hold_and_give_back(const setup &on)
{
    curator::mutex mutex(on.client, on.path, "mine");
    curator::shared_mutex other(on.client, on.path + "-other");
    CHECK(!mutex.owned() && !mutex.lost());
    {
        const std::lock_guard hold(mutex);
        CHECK(mutex.owned() && mutex.acquired_in_this_process() && !mutex.lost());
        const std::vector<std::string> nodes = mutex.participants();
        CHECK(nodes.size() == 1 && nodes[0] == mutex.lock_path());
        elsewhere([&] { CHECK(!mutex.owned() && mutex.acquired_in_this_process()); });
    }
    CHECK(!mutex.owned() && mutex.unlock_status() == CURATOR_OK && mutex.participants().empty());
    std::int64_t first = 0;
    {
        const std::scoped_lock both(mutex, other);
        const std::lock_guard again(mutex);
        CHECK(mutex.owned() && other.write_side().owned() && !other.read_side().owned());
        first = mutex.token();
    }
    CHECK(!mutex.owned() && !other.write_side().owned());
    std::unique_lock hold(mutex, std::defer_lock);
    CHECK(hold.try_lock() && mutex.token() > first);
    hold.unlock();
    CHECK(hold.try_lock_for(5s));
    std::unique_lock moved(std::move(hold));
    moved.unlock();
    CHECK(moved.try_lock_until(std::chrono::system_clock::now() + 5s) && mutex.owned());
    moved.release();
    const curator_status sent = mutex.unlock_for(0s);
    CHECK((sent == CURATOR_RELEASE_PENDING || sent == CURATOR_OK) && mutex.unlock_status() == sent);
    mutex.lock();
    CHECK(mutex.unlock_for(bound(10s)) == CURATOR_OK && mutex.unlock_status() == CURATOR_OK);
}

void the_queue_is_seen_with_what_its_nodes_say(const setup &on)
{
    curator::shared_mutex lock(on.client, on.path, "mine");
    curator::shared_mutex waiting(on.client, on.path, std::string(CURATOR_CONTENDER_DATA_MAX + 1, 'x'));
    curator::mutex &writing = lock.write_side();
    CHECK(writing.contenders().empty());
    const std::lock_guard hold(lock);
    std::thread waiter([&] { CHECK_THROWS(CURATOR_INTERRUPTED, waiting.lock_shared()); });
    CHECK(checks::becomes_true([&] { return writing.contenders().size() == 2; }));
    const std::vector<curator::contender> all = writing.contenders();
    const auto age = std::chrono::system_clock::now() - all[0].created;
    CHECK(all[0].holds && all[0].path == writing.lock_path() && all[0].token == writing.token());
    CHECK(all[0].kind == CURATOR_CONTENDER_WRITE && all[0].readable && all[0].session_id != 0);
    CHECK(all[0].data == "mine" && all[0].data_length == 4 && age > -1min && age < 10min);
    CHECK(!all[1].holds && all[1].kind == CURATOR_CONTENDER_READ && all[1].token > all[0].token);
    CHECK(all[1].data.size() == CURATOR_CONTENDER_DATA_MAX && all[1].data_length == all[1].data.size() + 1);
    waiting.read_side().interrupt();
    waiter.join();
}

void a_wait_ends_on_time_or_when_it_is_interrupted(const setup &on)
{
    curator::mutex mutex(on.client, on.path);
    curator::mutex holder(on.client, on.path);
    const std::lock_guard hold(holder);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(!mutex.try_lock());
    CHECK(!mutex.try_lock_for(-1h));
    CHECK(!mutex.try_lock_until(std::chrono::system_clock::time_point::min()));
    CHECK(!mutex.try_lock_for(300ms));
    CHECK(!mutex.try_lock_until(begin + 400ms));
    CHECK(std::chrono::steady_clock::now() - begin >= 400ms);
    std::thread waiter([&] {
        CHECK_THROWS(CURATOR_INTERRUPTED, mutex.lock());
        CHECK_THROWS(CURATOR_INTERRUPTED, mutex.try_lock_for(std::chrono::hours::max()));
    });
    for (int waits = 1; waits <= 2; waits++) {
        const std::string mine = holder.lock_path();
        std::string interrupted;
        CHECK(checks::becomes_true([&] { return holder.participants().size() == 2; }));
        interrupted = holder.participants().back();
        mutex.interrupt();
        CHECK(interrupted != mine);
        CHECK(checks::becomes_true([&] { return holder.participants().back() != interrupted; }));
    }
    waiter.join();
    CHECK(holder.participants().size() == 1);
}

void a_failure_has_a_status_and_a_sentence(const setup &on)
{
    curator::mutex mutex(on.client, on.path);
    CHECK(mutex.unlock() == CURATOR_NOT_OWNER && mutex.unlock_status() == CURATOR_NOT_OWNER);
    elsewhere([&] { CHECK(mutex.unlock_status() == CURATOR_OK); });
    CHECK_THROWS(CURATOR_NOT_OWNER, mutex.token());
    CHECK_THROWS(CURATOR_NOT_OWNER, mutex.lock_path());
    CHECK_THROWS(CURATOR_NOT_OWNER, mutex.revocation_requested());
    CHECK_THROWS(CURATOR_NOT_OWNER, static_cast<void>(mutex.lease_remaining()));
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, mutex.on_endangered(0s, [] {}));
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, mutex.on_endangered(1h, [] {}));
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, curator::mutex(on.client, "no/slash"));
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, curator::shared_mutex(on.client, "/"));
    try {
        static_cast<void>(mutex.token());
    } catch (const std::system_error &error) { // as what std::mutex throws
        CHECK(error.code() == std::errc::operation_not_permitted);
        CHECK(error.code().category() == curator::error_category());
        CHECK(std::string(error.what()).find(on.path) != std::string::npos);
        CHECK(std::string(error.what()).find("CURATOR_NOT_OWNER") != std::string::npos);
    }
}

void a_thread_keeps_the_last_eight_failed_unlocks(const setup &on)
{
    std::vector<curator::mutex> mutexes;
    mutexes.reserve(9);
    for (int i = 0; i < 9; i++) {
        mutexes.emplace_back(on.client, on.path);
    }
    for (std::size_t i = 0; i < 8; i++) {
        CHECK(mutexes[i].unlock() == CURATOR_NOT_OWNER);
    }
    CHECK(mutexes[1].unlock() == CURATOR_NOT_OWNER); /* it has a place already */
    for (std::size_t i = 0; i < 8; i++) {
        CHECK(mutexes[i].unlock_status() == CURATOR_NOT_OWNER);
    }
    CHECK(mutexes[8].unlock() == CURATOR_NOT_OWNER);
    CHECK(mutexes[0].unlock_status() == CURATOR_OK && mutexes[2].unlock_status() == CURATOR_NOT_OWNER);
    CHECK(mutexes[1].unlock_status() == CURATOR_NOT_OWNER && mutexes[8].unlock_status() == CURATOR_NOT_OWNER);
}

void a_loss_is_told_by_lost_by_the_callback_and_after_the_guard(const setup &on)
{
    curator::mutex mutex(on.client, on.path);
    curator::mutex not_lost(on.client, on.path + "-other");
    checks::event told;
    mutex.on_lost([&] { told.set(); });
    {
        const std::scoped_lock hold(mutex, not_lost);
        const std::int64_t token = mutex.token();
        an_operator_deletes(on.client, mutex.lock_path());
        CHECK(told.wait());
        CHECK(mutex.lost() && !mutex.owned() && !not_lost.lost());
        CHECK(mutex.token() == token);
        CHECK_THROWS(CURATOR_LOCK_LOST, mutex.lock());
        elsewhere([&] { CHECK(!mutex.lost()); });
    }
    CHECK(mutex.unlock_status() == CURATOR_LOCK_LOST && not_lost.unlock_status() == CURATOR_OK && !mutex.lost());
    elsewhere([&] { CHECK(mutex.unlock_status() == CURATOR_OK); });
    mutex.on_lost({});
    mutex.lock();
    CHECK(mutex.unlock() == CURATOR_OK && mutex.unlock_status() == CURATOR_OK);
}

void the_guard_refuses_a_late_write(const setup &on)
{
    curator::mutex mutex(on.client, on.path);
    const auto handle = on.client.borrow_handle();
    const std::string data = on.path + "/data";
    std::array<zoo_op_t, 2> ops = {};
    std::array<zoo_op_result_t, 2> results = {};
    const std::lock_guard hold(mutex);
    CHECK(zoo_create(handle.get(), data.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, nullptr, 0) == ZOK);
    const auto write = [&] {
        mutex.guard(ops[0]);
        zoo_set_op_init(&ops[1], data.c_str(), "x", 1, -1, nullptr);
        return zoo_multi(handle.get(), 2, ops.data(), results.data());
    };
    CHECK(write() == ZOK);
    an_operator_deletes(on.client, mutex.lock_path());
    CHECK(write() == ZNONODE);
    CHECK(zoo_delete(handle.get(), data.c_str(), -1) == ZOK);
}

void readers_share_and_a_writer_goes_on_reading(const setup &on)
{
    curator::shared_mutex lock(on.client, on.path);
    curator::shared_mutex other(on.client, on.path, "data");
    {
        const std::shared_lock reading(lock);
        const std::shared_lock too(other, 5s);
        CHECK(too.owns_lock());
        CHECK(!other.try_lock() && !other.try_lock_for(10ms));
        CHECK_THROWS(CURATOR_WOULD_DEADLOCK, lock.lock());
        CHECK(lock.read_side().participants().size() == 2 && lock.write_side().participants().empty());
    }
    std::shared_lock reading(lock, std::defer_lock);
    {
        const std::unique_lock writing(lock);
        CHECK(!other.try_lock_shared() && !other.try_lock_shared_until(std::chrono::steady_clock::now() + 10ms));
        reading.lock();
    }
    CHECK(lock.read_side().owned() && !lock.write_side().owned());
    CHECK(other.try_lock_shared() && other.unlock_shared() == CURATOR_OK);
    reading.unlock();
    CHECK(lock.read_side().unlock_status() == CURATOR_OK && other.try_lock() && other.unlock() == CURATOR_OK);
}

void a_holder_is_asked_to_let_go(const setup &on)
{
    curator::mutex mutex(on.client, on.path);
    checks::event asked;
    mutex.make_revocable([&] { asked.set(); });
    const std::lock_guard hold(mutex);
    CHECK(!mutex.revocation_requested());
    curator::revoke(on.client, mutex.participants().front());
    CHECK(asked.wait());
    CHECK(checks::becomes_true([&] { return mutex.revocation_requested(); }));
    mutex.make_revocable({});
}

void many_threads_count_without_a_gap(const setup &on)
{
    curator::mutex mutex(on.client, on.path);
    int counted = 0; // guarded by the mutex, whose two threads do not know each other's
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; i++) {
        threads.emplace_back([&] {
            for (int turn = 0; turn < 10; turn++) {
                const std::lock_guard hold(mutex);
                counted++;
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    CHECK(counted == 40);
}

} // namespace

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    curator::framework client(argv[1]);
    CHECK(client.await_connected(bound(10s)));
    const setup on = {client, argv[2]};
    the_guards_of_the_standard_hold_and_give_back(on);
    the_queue_is_seen_with_what_its_nodes_say(on);
    a_wait_ends_on_time_or_when_it_is_interrupted(on);
    a_failure_has_a_status_and_a_sentence(on);
    a_thread_keeps_the_last_eight_failed_unlocks(on);
    a_loss_is_told_by_lost_by_the_callback_and_after_the_guard(on);
    the_guard_refuses_a_late_write(on);
    readers_share_and_a_writer_goes_on_reading(on);
    a_holder_is_asked_to_let_go(on);
    many_threads_count_without_a_gap(on);
    CHECK(client.close() == CURATOR_OK);
    return 0;
}
