// SPDX-License-Identifier: Apache-2.0
// Readers and writers in C++17: clerks read an order book together, and each rewrites it alone. Every entry carries the
// fencing token of its writer; the book refuses one that is older than the last, so a clerk who was paused and lost the
// lock meanwhile cannot spoil it. Usage: order_book [host:port,...]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <curator/curator.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{

constexpr const char *LOCK_PATH = "/examples/order_book";
constexpr int CLERKS = 4;
constexpr int ORDERS_EACH = 5;

// Stands for a resource outside: it knows nothing of the lock but the token. Its own mutex is that of a server which
// takes one request after the other.
class order_book
{
  public:
    bool write(std::int64_t token, const std::string &order)
    {
        const std::lock_guard one(access_);
        if (token < last_token_) {
            return false;
        }
        last_token_ = token;
        orders_.push_back(order);
        return true;
    }

    std::size_t size()
    {
        const std::lock_guard one(access_);
        return orders_.size();
    }

  private:
    std::mutex access_;
    std::int64_t last_token_ = 0;
    std::vector<std::string> orders_;
};

struct office {
    std::string servers;
    order_book book;
    std::atomic<int> readers{0};
    std::atomic<int> writers{0};
    std::atomic<int> disturbed{0}; // readings that met a writer
    std::atomic<int> failures{0};
};

void read(office &here, curator::shared_mutex &lock)
{
    const std::shared_lock reading(lock);
    here.readers++;
    const std::size_t before = here.book.size();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (here.writers > 0 || here.book.size() != before) {
        here.disturbed++;
    }
    here.readers--;
}

void write(office &here, curator::shared_mutex &lock, const std::string &order)
{
    const std::unique_lock writing(lock, std::chrono::seconds(30));
    if (!writing) {
        throw curator::error(CURATOR_TIMED_OUT, curator_last_error());
    }
    here.writers++;
    if (here.readers > 0 || !here.book.write(lock.write_side().token(), order)) {
        here.disturbed++;
    }
    here.writers--;
}

// Each clerk has a connection of its own, as clerks in different processes would.
void work(office &here, int number)
try {
    std::atomic<bool> lost{false}; // before the lock, whose callback uses it
    curator::framework client(here.servers);
    curator::shared_mutex lock(client, LOCK_PATH);
    lock.write_side().on_lost([&] { lost = true; });
    for (int i = 1; i <= ORDERS_EACH && !lost; i++) {
        read(here, lock);
        write(here, lock, "order " + std::to_string(i) + " of clerk " + std::to_string(number));
        if (lock.write_side().unlock_status() != CURATOR_OK) {
            here.failures++;
        }
    }
} catch (const std::exception &error) {
    std::cerr << "Clerk " + std::to_string(number) + ": " + error.what() + '\n';
    here.failures++;
}

} // namespace

int main(int argc, char **argv)
{
    office here;
    here.servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    std::vector<std::thread> clerks;
    clerks.reserve(CLERKS);
    for (int number = 1; number <= CLERKS; number++) {
        clerks.emplace_back(work, std::ref(here), number);
    }
    std::for_each(clerks.begin(), clerks.end(), [](std::thread &clerk) { clerk.join(); });
    std::cout << here.book.size() << " orders of " << CLERKS << " clerks, " << here.disturbed
              << " of them or of their readings disturbed.\n";
    return here.book.size() == CLERKS * ORDERS_EACH && here.disturbed == 0 && here.failures == 0 ? 0 : 1;
}
