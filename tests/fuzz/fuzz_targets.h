// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ringside::fuzz {

// Each reads the bytes and throws when a reader breaks its word: it may refuse with a one-line problem, or give a value
// that holds together; nothing else.
void config(std::string_view bytes);
void json(std::string_view bytes);
void terminal(std::string_view bytes);
void csv(std::string_view bytes);
void gzip(std::string_view bytes);
void safetensors(std::string_view bytes);

}  // namespace ringside::fuzz
