// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/built_layers.h"

namespace ringside {

// A layer by itself; not for residuals.
BuiltLayer builtLayer(const LayerDescription& layer, bool inPlace);
// A convolution and the pooling behind it, in parts that fit the caches.
BuiltLayer pooledConvolution(const LayerDescription& convolution, const LayerDescription& pool, bool relu);
// Images from one order of their values to another.
BuiltLayer imageOrder(const Shape& input, const std::string& name);

// Places of a sample at which each weight is used: pixels, or positions.
std::int64_t placesOf(const Shape& input);

}  // namespace ringside
