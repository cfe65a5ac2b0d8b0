// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/model_description.h"

namespace ringside {

// model.layers read from its JSON text, such as [{"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1}, ...]:
// kinds and sizes without shapes, named by their place. A last linear without "out" gets `outputs`. Problems name the
// place, the key and the limit.
Result<std::vector<LayerDescription>> readLayerList(const std::string& text, std::int64_t outputs);

}  // namespace ringside
