// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ringside::fuzz {

// Targets as in fuzz_targets.h for readers that open a file.
void array(std::string_view bytes);
void cifar(std::string_view bytes);
void image(std::string_view bytes);
void preview(std::string_view bytes);

}  // namespace ringside::fuzz
