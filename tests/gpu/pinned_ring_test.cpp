// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/pinned_ring.h"

#include <numeric>

#include "base/errors/errors.h"
#include "support/catch.h"
#include "support/fake_gpu.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

struct Gpu {
    std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
    std::shared_ptr<FakeDevice> runtime = std::make_shared<FakeDevice>(clock);

    cuda::RingParts parts() { return {runtime, clock, runtime->computeStream(), "GPU 0 (fake)", 2000ms}; }
    Tensor allocate(std::int64_t count) {
        return {runtime->allocate(static_cast<std::size_t>(count) * sizeof(float)), {count}, DType::kFloat32, {}};
    }
    void compute(std::function<void()> work) {
        runtime->enqueue(
            runtime->computeStream(), [] { return true; }, std::move(work));
    }
    // Enqueues work that blocks the compute stream until canContinue is true.
    void block(const bool& canContinue) {
        runtime->enqueue(
            runtime->computeStream(), [&canContinue] { return canContinue; }, [] {});
    }
};

std::vector<float> counting(std::size_t count, float first) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

}  // namespace

TEST_CASE("an upload starts after earlier work that reads its target, and later work waits for it") {
    Gpu gpu;
    cuda::PinnedRing ring(gpu.parts(), false);
    const Tensor target = gpu.allocate(3);
    std::vector<float> seen;
    bool canContinue = false;
    gpu.block(canContinue);
    gpu.compute([&] { seen.push_back(target.floats()[0]); });
    const std::vector<float> values{5, 6, 7};
    ring.start(values.data(), target);
    ring.join();
    gpu.compute([&] { seen.push_back(target.floats()[0]); });
    gpu.runtime->advance();
    CHECK(seen.empty());
    CHECK(target.floats()[0] == 0);
    canContinue = true;
    gpu.runtime->advance();
    CHECK(seen == std::vector<float>{0, 5});
}

TEST_CASE("the next batch is uploaded while the device computes on the previous one") {
    Gpu gpu;
    cuda::PinnedRing ring(gpu.parts(), false);
    const Tensor even = gpu.allocate(1);
    const Tensor odd = gpu.allocate(1);
    const float one = 1;
    const float two = 2;
    ring.start(&one, even);
    ring.join();
    ring.start(&two, odd);
    bool stepDone = false;
    gpu.block(stepDone);  // simulates a long step that uses `even`
    gpu.runtime->advance();
    CHECK(even.floats()[0] == 1);
    CHECK(odd.floats()[0] == 2);
    CHECK_FALSE(stepDone);
}

TEST_CASE("a source in ordinary memory is free when start() returns") {
    Gpu gpu;
    cuda::PinnedRing ring(gpu.parts(), false);
    const Tensor target = gpu.allocate(2);
    bool canContinue = false;
    gpu.block(canContinue);
    std::vector<float> values{1, 2};
    ring.start(values.data(), target);
    ring.waitForSources();
    values = {8, 9};
    canContinue = true;
    gpu.runtime->advance();
    CHECK(target.floats()[1] == 2);
}

TEST_CASE("page-locked memory is read by the device itself, and waited for before it changes") {
    Gpu gpu;
    cuda::PinnedRing ring(gpu.parts(), true);
    const Tensor target = gpu.allocate(2);
    bool canContinue = false;
    gpu.block(canContinue);
    const std::vector<float> values{1, 2};
    ring.waitForSources();
    ring.start(values.data(), target);
    gpu.runtime->onPause = [&] { canContinue = gpu.runtime->pauses == 3; };
    ring.waitForSources();
    CHECK(gpu.runtime->pauses == 3);
    CHECK(target.floats()[1] == 2);
    CHECK(gpu.runtime->hostMemoryHeld == 0);
}

TEST_CASE("uploads larger than the ring go in pieces and arrive whole, through four slots") {
    Gpu gpu;
    const std::size_t count = cuda::RingParts{}.slotBytes / sizeof(float) * 6 + 5;
    const std::vector<float> values = counting(count, 1);
    const Tensor target = gpu.allocate(static_cast<std::int64_t>(count));
    {
        cuda::PinnedRing ring(gpu.parts(), false);
        ring.start(values.data(), target);
        CHECK(gpu.runtime->hostMemoryHeld == 4);
        ring.join();
        gpu.runtime->advance();
    }
    CHECK(std::equal(values.begin(), values.end(), target.floats().begin()));
    CHECK(gpu.runtime->hostMemoryHeld == 0);
}

TEST_CASE("a GPU that does not accept a batch is an error at the deadline") {
    Gpu gpu;
    cuda::PinnedRing ring(gpu.parts(), true);
    const Tensor target = gpu.allocate(1);
    const bool never = false;
    gpu.block(never);
    const float value = 1;
    ring.start(&value, target);
    CHECK_THROWS_WITH(ring.waitForSources(), containing("GPU 0 (fake) did not accept a batch within 2 s"));
    CHECK(gpu.clock->time.time_since_epoch() == 2000ms);
}
