// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/errors/result.h"

namespace ringside {

// What a person needs to take part in a class: where it meets, and a secret of 128 bits. People read it off a wall and
// type it: "10.0.0.7:21345/9ZK3P-..." in Crockford's base 32, in which o is 0, i and l are 1, and case and dashes do
// not matter. All of it fits a QR code's alphanumeric mode.
struct JoinCode {
    static constexpr std::size_t kTokenHex = 32;
    static constexpr std::size_t kMaxText = 256;

    std::string host;  // an address or a name
    int port = 0;
    std::string token;  // hexadecimal

    std::string text() const;
    // What somebody typed or scanned.
    static Result<JoinCode> parse(std::string_view text);
};

}  // namespace ringside
