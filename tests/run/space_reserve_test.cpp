// SPDX-License-Identifier: Apache-2.0
#include "run/record/space_reserve.h"

#include <atomic>
#include <thread>
#include <vector>

#include "base/errors/errors.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;

TEST_CASE("space is reserved for several runs in one directory without leaving files") {
    const TemporaryDirectory scratch;
    std::atomic<int> refused{0};
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i) {
        all.emplace_back([&] {
            for (int turn = 0; turn < 500; ++turn) {
                try {
                    const SpaceReserve reserve(scratch.path(), 4096);
                } catch (const IoError&) {
                    ++refused;
                }
            }
        });
    }
    for (std::thread& one : all) one.join();
    CHECK(refused == 0);
    CHECK(std::filesystem::is_empty(scratch.path()));
}
