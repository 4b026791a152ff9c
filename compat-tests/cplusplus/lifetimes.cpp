// SPDX-License-Identifier: Apache-2.0
// What may be moved, replaced, destroyed and closed when, on a server; and what a framework is opened with.
#include "checks.hpp"
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
#include <zookeeper/zookeeper.h>

namespace
{

using namespace std::chrono_literals;
using checks::bound;
using checks::event;

std::unique_ptr<curator::framework> connected(const std::string &servers)
{
    auto client = std::make_unique<curator::framework>(servers);
    CHECK(client->await_connected(bound(10s)));
    return client;
}

void a_lock_may_outlive_its_framework(const std::string &servers, const std::string &path)
{
    auto client = connected(servers);
    curator::mutex mutex(*client, path);
    curator::shared_mutex shared(*client, path + "-shared");
    mutex.lock();
    client.reset();
    CHECK(mutex.lost() && !mutex.owned());
    CHECK(mutex.unlock() == CURATOR_CLOSED && mutex.unlock_status() == CURATOR_CLOSED);
    CHECK_THROWS(CURATOR_CLOSED, mutex.lock());
    CHECK_THROWS(CURATOR_CLOSED, shared.try_lock_shared_for(1h));
    CHECK_THROWS(CURATOR_CLOSED, mutex.on_lost([] {}));
    CHECK_THROWS(CURATOR_CLOSED, static_cast<void>(mutex.participants()));
}

void a_closed_framework_says_so(const std::string &servers)
{
    auto client = connected(servers);
    CHECK(client->state() == CURATOR_CONNECTED && client->session_timeout() > 1s);
    client->set_servers(servers);
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, client->set_servers("a:b"));
    CHECK(client->close() == CURATOR_OK && client->close() == CURATOR_CLOSED);
    CHECK_THROWS(CURATOR_CLOSED, client->set_servers(servers));
    CHECK(client->native_handle() == nullptr);
    CHECK_THROWS(CURATOR_CLOSED, static_cast<void>(client->state()));
    CHECK_THROWS(CURATOR_CLOSED, client->await_connected(1s));
    CHECK_THROWS(CURATOR_CLOSED, static_cast<void>(client->borrow_handle()));
    CHECK_THROWS(CURATOR_CLOSED, curator::mutex(*client, "/a"));
    CHECK_THROWS(CURATOR_CLOSED, curator::revoke(*client, "/a/b"));
}

void what_was_moved_from_is_refused(const std::string &servers, const std::string &path)
{
    curator::framework first(servers);
    curator::framework client(std::move(first));
    // NOLINTNEXTLINE(bugprone-use-after-move)
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, static_cast<void>(first.state()));
    CHECK(first.close() == CURATOR_CLOSED);
    std::vector<curator::mutex> mutexes;
    event lost;
    mutexes.emplace_back(client, path);
    mutexes.front().on_lost([&] { lost.set(); });
    mutexes.front().lock();
    mutexes.emplace_back(client, path);
    curator::mutex mutex = std::move(mutexes.front());
    CHECK(mutex.owned() && !mutexes.back().try_lock());
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, mutexes.front().lock());
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, mutexes.front().on_lost([] {}));
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, mutexes.front().on_endangered(1s, [] {}));
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, static_cast<void>(mutexes.front().contenders()));
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, static_cast<void>(mutexes.front().lease_remaining()));
    CHECK(!mutexes.front().owned() && !mutexes.front().lost());
    CHECK(mutexes.front().unlock() == CURATOR_INVALID_ARGUMENT);
    mutex = std::move(mutexes.back()); // what it was before is destroyed, so its lock is free
    CHECK(!mutex.owned() && mutex.try_lock_for(bound(10s)) && mutex.unlock() == CURATOR_OK);
    curator::shared_mutex shared(client, path);
    curator::shared_mutex moved(std::move(shared));
    // NOLINTNEXTLINE(bugprone-use-after-move)
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, shared.lock_shared());
    moved.lock_shared();
    moved = curator::shared_mutex(client, path);
    CHECK(moved.try_lock_for(bound(10s)));
    moved.unlock();
}

void an_operator_deletes(curator::framework &client, const std::string &node)
{
    const auto handle = client.borrow_handle();
    CHECK(zoo_delete(handle.get(), node.c_str(), -1) == ZOK);
}

void a_callback_may_replace_itself_and_destroy_its_mutex(const std::string &servers, const std::string &path)
{
    const auto client = connected(servers);
    event replaced;
    event destroyed;
    curator::mutex kept(*client, path);
    const auto alive = std::make_shared<int>(1);
    kept.on_lost([&, keep = alive] {
        kept.on_lost({});
        CHECK(*keep == 1); // the function that runs is still there
        replaced.set();
    });
    kept.lock();
    an_operator_deletes(*client, kept.lock_path());
    CHECK(replaced.wait() && kept.unlock() == CURATOR_LOCK_LOST);
    CHECK(checks::becomes_true([&] { return alive.use_count() == 1; }));

    auto gone = std::make_unique<curator::mutex>(*client, path);
    gone->on_lost([&, keep = alive] {
        gone.reset();
        CHECK(*keep == 1);
        destroyed.set();
    });
    gone->lock();
    an_operator_deletes(*client, gone->lock_path());
    CHECK(destroyed.wait() && gone == nullptr);
    CHECK(kept.try_lock_for(bound(10s)) && kept.unlock() == CURATOR_OK);
}

void a_listener_may_remove_itself_and_close_its_framework(const std::string &servers)
{
    curator::framework_options options;
    std::unique_ptr<curator::framework> client;
    event opened;
    event ended;
    const auto alive = std::make_shared<int>(1);
    const std::weak_ptr<int> watched = alive;
    options.connect_string = servers;
    options.connection_listener = [&, keep = alive](curator_connection_state state) {
        CHECK(state == CURATOR_CONNECTED && opened.wait());
        CHECK(client->close() == CURATOR_WOULD_DEADLOCK && client->state() == CURATOR_CONNECTED);
        const std::uint64_t other = client->add_connection_listener([](curator_connection_state) {});
        client->remove_connection_listener(other);
        CHECK_THROWS(CURATOR_INVALID_ARGUMENT, client->remove_connection_listener(other));
        client.reset(); // closed by another thread, since this one is a callback's
        ended.set();
        CHECK(*keep == 1); // the function that runs is still there
    };
    client = std::make_unique<curator::framework>(options);
    options.connection_listener = {};
    opened.set();
    CHECK(ended.wait());
    CHECK(checks::becomes_true([&] { return watched.use_count() == 1; }));
}

void functions_are_called_and_what_is_wrong_is_refused(const std::string &servers)
{
    curator::framework_options options;
    std::atomic<int> lines{0};
    std::atomic<int> retries{0};
    std::atomic<int> traced_retries{0};
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, const curator::framework refused(options));
    options.connect_string = "127.0.0.1:1";
    options.connection_timeout = 50ms;
    options.log = [&](curator_log_level, const char *line) { lines += *line != '\0' ? 1 : 0; };
    options.log_level = CURATOR_LOG_DEBUG;
    options.trace = [&](const curator_trace &trace) {
        traced_retries += trace.event == CURATOR_TRACE_RETRY && trace.path == std::string("/unreachable") ? 1 : 0;
    };
    options.retry = [&](int count, std::chrono::milliseconds) -> std::optional<std::chrono::milliseconds> {
        retries++;
        return count < 2 ? std::optional(1ms) : std::nullopt;
    };
    {
        curator::framework client(options);
        curator::mutex mutex(client, "/unreachable");
        CHECK(!client.await_connected(10ms));
        CHECK_THROWS(CURATOR_CONNECTION_LOSS, mutex.lock());
        CHECK_THROWS(CURATOR_CONNECTION_LOSS, static_cast<void>(mutex.try_lock()));
    }
    CHECK(lines > 0 && retries >= 3 && traced_retries >= 2);
    options.trace = {};
    options.connect_string = servers;
    options.auth_scheme = "digest";
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, const curator::framework refused(options));
    options.auth_credentials = "user:password";
    options.name_space = "cplusplus";
    options.default_data = "";
    options.retry = {};
    options.retry_policy = curator_retry_n_times(-1, 0);
    CHECK_THROWS(CURATOR_INVALID_ARGUMENT, const curator::framework refused(options));
    options.retry_policy = curator_retry_n_times(3, 10);
    curator::framework client(options);
    curator::mutex mutex(client, "/with-everything");
    CHECK(mutex.try_lock_for(bound(10s)));
}

} // namespace

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    const std::string servers = argv[1];
    const std::string path = argv[2];
    a_lock_may_outlive_its_framework(servers, path);
    a_closed_framework_says_so(servers);
    what_was_moved_from_is_refused(servers, path);
    a_callback_may_replace_itself_and_destroy_its_mutex(servers, path);
    a_listener_may_remove_itself_and_close_its_framework(servers);
    functions_are_called_and_what_is_wrong_is_refused(servers);
    return 0;
}
