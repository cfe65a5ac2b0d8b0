// SPDX-License-Identifier: Apache-2.0
// Includes Catch2, version 2 (Debian 12) or version 3 (Ubuntu 24.04).
#pragma once

#include <string>

#ifdef RINGSIDE_CATCH3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

// Matches a text that contains a part. The two versions of Catch2 have different names for this matcher.
inline auto containing(const std::string& part) {
#ifdef RINGSIDE_CATCH3
    return Catch::Matchers::ContainsSubstring(part);
#else
    return Catch::Matchers::Contains(part);
#endif
}
