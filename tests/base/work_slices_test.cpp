// SPDX-License-Identifier: Apache-2.0
#include "base/processors/work_slices.h"

#include "fake_processor.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;
using ringside::testing::FakeProcessor;

namespace {

// Returns the number of yields during `pieces` pieces of work of 10 us each.
int yieldsDuring(int pieces, FakeProcessor& processor, WorkSlices& slices) {
    const int before = processor.yields;
    for (int piece = 0; piece < pieces; ++piece) {
        processor.time += 10us;
        slices.next();
    }
    return processor.yields - before;
}

}  // namespace

TEST_CASE("the CPU is yielded after every 50 us of work") {
    FakeProcessor processor;
    WorkSlices slices(CpuYields(10ms, processor.system()));
    slices.begin();
    CHECK(yieldsDuring(4, processor, slices) == 0);
    CHECK(yieldsDuring(1, processor, slices) == 1);
    CHECK(yieldsDuring(100, processor, slices) == 20);
}

TEST_CASE("work that lost its CPU does not yield again for 100 ms") {
    FakeProcessor processor;
    WorkSlices slices(CpuYields(10ms, processor.system()));
    slices.begin();
    processor.othersTake = 28ms;
    CHECK(yieldsDuring(5, processor, slices) == 1);
    CHECK(yieldsDuring(9999, processor, slices) == 0);
    CHECK(yieldsDuring(1, processor, slices) == 1);
    processor.othersTake = 0us;
    CHECK(yieldsDuring(10000, processor, slices) == 1);
    CHECK(yieldsDuring(100, processor, slices) == 20);
}
