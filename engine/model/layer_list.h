// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/model_description.h"

namespace ringside {

// Parses model.layers from JSON text, such as [{"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1}, ...]. The
// result has kinds and sizes but no shapes, and each layer is named by its index. A last linear layer without "out"
// gets `outputs`. Problems name the path, the key and the limit.
Result<std::vector<LayerDescription>> readLayerList(const std::string& text, std::int64_t outputs);

}  // namespace ringside
