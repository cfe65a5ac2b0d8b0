// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "base/json/json.h"
#include "support/places.h"

namespace ringside::testing {

// Results of PyTorch 1.13.1, recorded once (tests/sampling/goldens_torch_1_13.json).
inline const Json& goldens() {
    static const Json json = readJsonFile(sourceFile("tests/sampling/goldens_torch_1_13.json")).value();
    return json;
}

// Returns a float32 in the format of the recorded results: 8 hexadecimal digits, most significant first.
inline std::string bitsOf(float value) {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", std::bit_cast<std::uint32_t>(value));
    return text;
}

}  // namespace ringside::testing
