// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nn/layer.h"

namespace ringside {

// The parameters' values as a safetensors file (little-endian float32, row-major, PyTorch names), byte for byte the
// same for the same values. metadata: string to string, may be empty.
std::string encodeSafetensors(const std::vector<Parameter*>& parameters, Backend& backend,
                              const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace ringside
