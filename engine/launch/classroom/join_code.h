// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/errors/result.h"

namespace ringside {

// Join code of a classroom: its address and a secret of 128 bits, for example "10.0.0.7:21345/9ZK3P-...". The secret is
// written in Crockford's base 32, which reads o as 0, i and l as 1, and ignores case and dashes, because users type it
// from a screen. All characters belong to the alphanumeric mode of QR codes.
struct JoinCode {
    static constexpr std::size_t kTokenHex = 32;
    static constexpr std::size_t kMaxText = 256;

    std::string host;  // address or name of the classroom's host
    int port = 0;
    std::string token;  // secret of the classroom, in hexadecimal

    std::string text() const;
    // Parses a typed or scanned code. Returns a problem that names the error.
    static Result<JoinCode> parse(std::string_view text);
};

}  // namespace ringside
