// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/errors/errors.h"
#include "comm/communicator_factory.h"

namespace ringside::test {

// Runs body(communicator) once per rank, each on its own thread; rethrows the first rank's exception.
inline void onThreads(const std::vector<std::unique_ptr<Communicator>>& ranks,
                      const std::function<void(Communicator&)>& body) {
    std::vector<std::exception_ptr> errors(ranks.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        threads.emplace_back([&, i] {
            try {
                body(*ranks[i]);
            } catch (...) {
                errors[i] = std::current_exception();
                ranks[i]->abort();
            }
        });
    }
    for (auto& thread : threads) thread.join();
    for (auto& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

inline void onLocalRanks(int size, const std::function<void(Communicator&)>& body, CommOptions options = {}) {
    onThreads(makeLocalCommunicators(size, options), body);
}

// Runs `call` on another thread. The future holds the text of the CommError that it threw, or an empty text. Catch2
// must not be used on that thread, because Catch2 is not thread-safe.
inline std::future<std::string> errorOf(std::function<void()> call) {
    return std::async(std::launch::async, [call = std::move(call)]() -> std::string {
        try {
            call();
        } catch (const CommError& error) {
            return error.what();
        }
        return {};
    });
}

}  // namespace ringside::test
