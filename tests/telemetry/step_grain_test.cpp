// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/step_grain.h"

#include "support/catch.h"

using namespace ringside;
using Window = StepGrain::Window;

TEST_CASE("the first steps of a run are single entries") {
    const StepGrain grain;
    CHECK(grain.isSingle(1));
    CHECK(grain.isSingle(32768));
    CHECK_FALSE(grain.isSingle(32769));
    CHECK(grain.windowOf(1) == Window{1, 1});
    CHECK(grain.windowOf(32768) == Window{32768, 32768});
}

TEST_CASE("windows have four steps at first and double with the length of the run") {
    const StepGrain grain;
    CHECK(grain.windowOf(32769) == Window{32769, 32772});
    CHECK(grain.windowOf(32772) == Window{32769, 32772});
    CHECK(grain.windowOf(65536) == Window{65533, 65536});
    CHECK(grain.windowOf(65537) == Window{65537, 65544});
    CHECK(grain.windowOf(131073) == Window{131073, 131088});
}

TEST_CASE("a run of a thousand million steps has fewer than 160,000 points") {
    const StepGrain grain;
    std::int64_t windows = 0;
    std::int64_t last = 0;
    while (last < 1'000'000'000) {
        const Window window = grain.windowOf(last + 1);
        REQUIRE(window.first == last + 1);  // no step is missing or counted twice
        last = window.last;
        ++windows;
    }
    CHECK(windows < 160'000);  // 32,768 + 8,192 * log2(1e9 / 32,768) = 154,800
    CHECK(windows > 150'000);
}

TEST_CASE("with log_every windows hold as many logged steps") {
    const StepGrain grain(0, 10);
    CHECK(grain.isSingle(327680));
    CHECK(grain.windowOf(327690) == Window{327681, 327720});
}

TEST_CASE("a resumed run begins with single steps again") {
    const StepGrain grain(1'000'003);
    CHECK(grain.isSingle(1'000'004));
    CHECK(grain.isSingle(1'032'771));
    CHECK(grain.windowOf(1'032'772) == Window{1'032'772, 1'032'772});  // up to a multiple of four
    CHECK(grain.windowOf(1'032'773) == Window{1'032'773, 1'032'776});
}

TEST_CASE("windows can be widened after a step to save space, and narrowed again") {
    StepGrain grain;
    grain.widen(100, 1);
    grain.widen(104, 2);
    grain.widen(40'000, 0);
    CHECK(grain.isSingle(100));
    CHECK(grain.windowOf(101) == Window{101, 102});
    CHECK(grain.windowOf(105) == Window{105, 108});
    CHECK(grain.windowOf(32769) == Window{32769, 32784});  // 4 * 2^2
    CHECK(grain.windowOf(40'000) == Window{39'985, 40'000});
    CHECK(grain.windowOf(40'001) == Window{40'001, 40'004});
}

TEST_CASE("a window ends where the windows are widened, also if this is not a multiple of its width") {
    StepGrain grain;
    grain.widen(101, 2);
    CHECK(grain.windowOf(101) == Window{101, 101});
    CHECK(grain.windowOf(102) == Window{102, 104});
    CHECK(grain.windowOf(105) == Window{105, 108});
    grain.widen(32'770, 3);
    CHECK(grain.windowOf(32'769) == Window{32'769, 32'770});  // 4 * 2^2 steps, cut at both ends
    CHECK(grain.windowOf(32'771) == Window{32'771, 32'800});
    CHECK(grain.windowOf(32'801) == Window{32'801, 32'832});  // 4 * 2^3
}

TEST_CASE("no step is too large for a window") {
    const StepGrain grain(0, 1'000'000'000);
    const std::int64_t most = std::int64_t{1} << 53;
    const Window window = grain.windowOf(most);
    CHECK(window.first <= most);
    CHECK(window.last >= most);
}
