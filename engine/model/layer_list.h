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

// True if the model is a layer list that contains a layer of this kind, within residual blocks too. False for a list
// that cannot be read.
bool listsLayer(const ModelConfig& model, LayerKind kind);

// True if the model has a batch norm: a ResNet, or a layer list with one.
bool hasBatchNorm(const ModelConfig& model);

}  // namespace ringside
