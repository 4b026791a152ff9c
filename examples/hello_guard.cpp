// SPDX-License-Identifier: Apache-2.0
// The shortest complete program in C++17: a lock, held by a guard of the standard. Usage: hello_guard [host:port,...]
#include <chrono>
#include <curator/curator.hpp>
#include <exception>
#include <iostream>
#include <mutex>

int main(int argc, char **argv)
try {
    curator::framework client(argc > 1 ? argv[1] : "127.0.0.1:2181");
    curator::mutex mutex(client, "/examples/hello_guard");
    {
        const std::unique_lock hold(mutex, std::chrono::seconds(10));
        if (!hold) {
            std::cerr << "Somebody else has the lock: " << curator_last_error() << '\n';
            return 1;
        }
        std::cout << "Hello! Until the end of this block, nobody else has this lock.\n";
    }
    return mutex.unlock_status() == CURATOR_OK ? 0 : 1; // CURATOR_LOCK_LOST: not protected to its end
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
