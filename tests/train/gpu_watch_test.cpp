// SPDX-License-Identifier: Apache-2.0
#include "train/devices/gpu_watch.h"

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

TEST_CASE("a watched GPU is queried repeatedly, and its latest reading is available") {
    auto readings = std::make_shared<std::atomic<int>>(0);  // shared, because the thread may outlive the test
    const GpuWatch watch([readings] { return busy(++*readings); }, 1ms);
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (*readings < 3 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    CHECK(*readings >= 3);
}

TEST_CASE("the current query ends before the watch is destroyed") {
    std::promise<void> readings;
    std::promise<void> answer;
    bool over = false;
    std::thread driver;
    {
        const GpuWatch watch(
            [&] {
                readings.set_value();
                answer.get_future().wait();
                over = true;
                return busy(50);
            },
            30s);
        readings.get_future().wait();
        driver = std::thread([&answer] { answer.set_value(); });
    }
    CHECK(over);
    driver.join();
}

TEST_CASE("a GPU that does not respond has no reading and does not block the end") {
    auto released = std::make_shared<std::promise<void>>();
    auto answered = std::make_shared<std::promise<void>>();
    {
        const GpuWatch watch(
            [released, answered] {
                released->get_future().wait();
                answered->set_value();
                return busy(50);
            },
            20ms);
        CHECK_FALSE(watch.latest().isKnown());
    }
    // The watch is destroyed, but its thread is still in a query. The thread ends by itself when the driver returns.
    std::future<void> done = answered->get_future();
    released->set_value();
    CHECK(done.wait_for(30s) == std::future_status::ready);
}
