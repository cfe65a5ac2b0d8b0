// SPDX-License-Identifier: Apache-2.0
// main() of every test program, for Catch2 version 2 or 3.
#ifdef RINGSIDE_CATCH3
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "support/test_surroundings.h"

// A test program may define this to skip its tests if the machine lacks what they need. The result is then the exit
// code, unless it is 0.
__attribute__((weak)) int skipTests();

int main(int argc, char** argv) {
    const auto surroundings = makeTestSurroundings ? makeTestSurroundings(argc, argv) : nullptr;
    if (skipTests) {
        if (const int code = skipTests()) return code;
    }
    return Catch::Session().run(argc, argv);
}
