// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/built_layers.h"

namespace ringside {

// Returns a single layer with the sizes of its parameters and memory. Not for residual blocks.
BuiltLayer builtLayer(const LayerDescription& layer, bool inPlace);
// Returns a convolution and the pooling after it as one layer, which works on parts of the batch that fit the caches.
BuiltLayer pooledConvolution(const LayerDescription& convolution, const LayerDescription& pool, bool relu);
// Returns a layer that reorders the values of images from channels-first to the layout of the model's images.
BuiltLayer imageOrder(const Shape& input, const std::string& name);

// Returns the number of positions of a sample at which each weight is used: pixels, or sequence positions.
std::int64_t usesPerWeight(const Shape& input);

}  // namespace ringside
