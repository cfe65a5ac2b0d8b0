// SPDX-License-Identifier: Apache-2.0
// Catch2, version 2 (Debian 12) or 3 (Ubuntu 24.04).
#pragma once

#include <string>

#ifdef RINGSIDE_CATCH3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

// Matches text that contains a part; the two versions name this matcher differently.
inline auto containing(const std::string& part) {
#ifdef RINGSIDE_CATCH3
    return Catch::Matchers::ContainsSubstring(part);
#else
    return Catch::Matchers::Contains(part);
#endif
}
