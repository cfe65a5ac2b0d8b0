// SPDX-License-Identifier: Apache-2.0
#include "train/gpu_watch.h"

#include <atomic>
#include <future>
#include <thread>

#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

GpuReading busy(double percent) {
    GpuReading reading;
    reading.utilisationPercent = percent;
    return reading;
}

}  // namespace

TEST_CASE("A watched GPU is asked again and again, and its last answer is at hand") {
    auto asked = std::make_shared<std::atomic<int>>(0);  // the thread may outlive the test
    const GpuWatch watch([asked] { return busy(++*asked); }, 1ms);
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (*asked < 3 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    CHECK(*asked >= 3);
}

TEST_CASE("A GPU that does not answer has no reading, and nobody waits for it") {
    auto released = std::make_shared<std::promise<void>>();
    auto answered = std::make_shared<std::promise<void>>();
    {
        const GpuWatch watch([released, answered] {
            released->get_future().wait();
            answered->set_value();
            return busy(50);
        });
        CHECK_FALSE(watch.latest().known());
    }
    // The watch is gone, its thread still asks: it ends by itself once the driver lets go.
    std::future<void> done = answered->get_future();
    released->set_value();
    CHECK(done.wait_for(30s) == std::future_status::ready);
}
