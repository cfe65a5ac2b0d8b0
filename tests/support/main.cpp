// SPDX-License-Identifier: Apache-2.0
// Every test program's entry: Catch2 v2 or v3.
#ifdef RINGSIDE_CATCH3
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "support/test_surroundings.h"

// A test program may say that this machine lacks what it tests: its answer, unless 0, is then the exit code.
__attribute__((weak)) int skipTests();

int main(int argc, char** argv) {
    const auto surroundings = makeTestSurroundings ? makeTestSurroundings(argc, argv) : nullptr;
    if (skipTests) {
        if (const int code = skipTests()) return code;
    }
    return Catch::Session().run(argc, argv);
}
