// SPDX-License-Identifier: Apache-2.0
#include "base/processors/cpu_yields.h"

#include "fake_processor.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;
using ringside::testing::FakeProcessor;

TEST_CASE("a yield returns when the CPU is free again") {
    FakeProcessor processor;
    CpuYields yields(2ms, processor.system());
    processor.othersTake = 300us;
    const auto before = processor.time;
    CHECK(yields.yield(before) == before + 300us);
    CHECK(processor.yields == 1);
}

TEST_CASE("after a late return, yielding is not worthwhile for 100 ms") {
    FakeProcessor processor;
    CpuYields yields(2ms, processor.system());
    CHECK(yields.isWorthwhile(processor.time));
    processor.othersTake = 2ms;
    yields.yield(processor.time);
    CHECK(yields.isWorthwhile(processor.time));
    processor.othersTake = 2001us;
    const auto back = yields.yield(processor.time);
    CHECK_FALSE(yields.isWorthwhile(back));
    CHECK_FALSE(yields.isWorthwhile(back + 99ms));
    CHECK(yields.isWorthwhile(back + 100ms));
}

TEST_CASE("the real clock and scheduler are the defaults") {
    CpuYields yields(2ms);
    const auto before = yields.now();
    CHECK(yields.yield(before) >= before);
}
