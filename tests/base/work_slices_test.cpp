// SPDX-License-Identifier: Apache-2.0
#include "base/processors/work_slices.h"

#include "fake_processor.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;
using ringside::testing::FakeProcessor;

namespace {

// Returns the number of offers during `pieces` pieces of work of 10 us each.
int offersDuring(int pieces, FakeProcessor& processor, WorkSlices& slices) {
    const int before = processor.offers;
    for (int piece = 0; piece < pieces; ++piece) {
        processor.time += 10us;
        slices.next();
    }
    return processor.offers - before;
}

}  // namespace

TEST_CASE("The CPU is offered after every 50 us of work") {
    FakeProcessor processor;
    WorkSlices slices(CpuYields(10ms, processor.system()));
    slices.begin();
    CHECK(offersDuring(4, processor, slices) == 0);
    CHECK(offersDuring(1, processor, slices) == 1);
    CHECK(offersDuring(100, processor, slices) == 20);
}

TEST_CASE("work that lost its CPU does not offer the CPU again for 100 ms") {
    FakeProcessor processor;
    WorkSlices slices(CpuYields(10ms, processor.system()));
    slices.begin();
    processor.othersTake = 28ms;
    CHECK(offersDuring(5, processor, slices) == 1);
    CHECK(offersDuring(9999, processor, slices) == 0);
    CHECK(offersDuring(1, processor, slices) == 1);
    processor.othersTake = 0us;
    CHECK(offersDuring(10000, processor, slices) == 1);
    CHECK(offersDuring(100, processor, slices) == 20);
}
