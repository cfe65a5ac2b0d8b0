// SPDX-License-Identifier: Apache-2.0
#include "base/processors/cpu_yields.h"

#include "fake_processor.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;
using ringside::testing::FakeProcessor;

TEST_CASE("offering the CPU returns when the CPU is free again") {
    FakeProcessor processor;
    CpuYields offers(2ms, processor.system());
    processor.othersTake = 300us;
    const auto before = processor.time;
    CHECK(offers.make(before) == before + 300us);
    CHECK(processor.offers == 1);
}

TEST_CASE("after a late return, the CPU is not offered again for 100 ms") {
    FakeProcessor processor;
    CpuYields offers(2ms, processor.system());
    CHECK(offers.isWorthwhile(processor.time));
    processor.othersTake = 2ms;
    offers.make(processor.time);
    CHECK(offers.isWorthwhile(processor.time));
    processor.othersTake = 2001us;
    const auto back = offers.make(processor.time);
    CHECK_FALSE(offers.isWorthwhile(back));
    CHECK_FALSE(offers.isWorthwhile(back + 99ms));
    CHECK(offers.isWorthwhile(back + 100ms));
}

TEST_CASE("the real clock and scheduler are the defaults") {
    CpuYields offers(2ms);
    const auto before = offers.now();
    CHECK(offers.make(before) >= before);
}
