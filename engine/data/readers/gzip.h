// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/errors/result.h"

namespace ringside {

// Returns the unpacked content. Problems name `what`: damaged or truncated input, more than maxBytes of content.
Result<std::string> gunzip(std::string_view bytes, const std::string& what, std::size_t maxBytes);

}  // namespace ringside
