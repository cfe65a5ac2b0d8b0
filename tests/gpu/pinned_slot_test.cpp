// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/pinned_slot.h"

#include "base/errors/errors.h"
#include "support/catch.h"
#include "support/fake_gpu.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

struct SlotGpu {
    std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
    std::shared_ptr<FakeDevice> runtime = std::make_shared<FakeDevice>(clock);
    bool canContinue = true;
    int polls = 0;

    cuda::PinnedSlot slot() {
        return {{runtime, clock, runtime->computeStream(), "GPU 0 (fake)", 2000ms},
                8192,
                {[this] { ++polls; }, sumSquares()}};
    }
    // One sum in the first part.
    std::function<void(const Tensor&, double*)> sumSquares() {
        return [this](const Tensor& values, double* parts) {
            runtime->enqueue(
                runtime->computeStream(), [] { return true; },
                [values, parts] {
                    for (const float one : values.floats()) *parts += static_cast<double>(one * one);
                });
        };
    }
    // Enqueues work that writes a value as soon as the stream may continue.
    void write(const Tensor& to, float value) {
        runtime->enqueue(
            runtime->computeStream(), [this] { return canContinue; }, [to, value] { to.floats()[0] = value; });
    }
};

Tensor tensorOn(std::vector<float>& memory) {
    return {memory.data(), {static_cast<std::int64_t>(memory.size())}, DType::kFloat32, {}};
}

}  // namespace

TEST_CASE("a slot keeps the values of its step while later work overwrites them") {
    SlotGpu gpu;
    cuda::PinnedSlot slot = gpu.slot();
    std::vector<float> losses{0, 2};
    std::vector<float> signal{3};
    gpu.write(tensorOn(losses), 1);
    slot.begin();
    slot.add(tensorOn(losses));
    slot.add(tensorOn(signal));
    slot.addSquares(tensorOn(signal));
    slot.addSquares(tensorOn(losses));
    slot.end();
    gpu.write(tensorOn(losses), 9);
    slot.wait();
    const auto first = slot.nextValues<float>();
    CHECK(std::vector<float>(first.begin(), first.end()) == std::vector<float>{1, 2});
    CHECK(slot.nextValues<float>()[0] == 3);
    const auto squares = slot.nextValues<double>();
    CHECK(squares.size() == ResultSlot::kNormParts);
    CHECK(squares[0] == 9);
    CHECK(slot.nextValues<double>()[0] == 1 + 4);
    CHECK(reinterpret_cast<std::uintptr_t>(first.data()) % alignof(float) == 0);
}

TEST_CASE("waiting for a slot polls its errors and ends at the deadline with the name of the GPU") {
    SlotGpu gpu;
    gpu.canContinue = false;
    cuda::PinnedSlot slot = gpu.slot();
    std::vector<float> value{1};
    gpu.write(tensorOn(value), 2);
    slot.begin();
    slot.add(tensorOn(value));
    slot.end();
    CHECK_THROWS_WITH(slot.wait(), containing("GPU 0 (fake) did not finish a step within 2 s"));
    CHECK(gpu.polls > 100);
}

TEST_CASE("a slot returns its page-locked memory") {
    SlotGpu gpu;
    {
        const cuda::PinnedSlot slot = gpu.slot();
        CHECK(gpu.runtime->hostMemoryHeld == 1);
    }
    CHECK(gpu.runtime->hostMemoryHeld == 0);
}
