// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ringside::fuzz {

// Each function passes the bytes to a reader and throws if the reader violates its contract. A reader must either
// refuse the bytes with a problem of one line or return a consistent value.
void config(std::string_view bytes);
void json(std::string_view bytes);
void terminal(std::string_view bytes);
void csv(std::string_view bytes);
void gzip(std::string_view bytes);
void safetensors(std::string_view bytes);

}  // namespace ringside::fuzz
