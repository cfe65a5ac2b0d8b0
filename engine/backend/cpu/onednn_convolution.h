// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/convolution.h"

namespace ringside::cpu {

// By oneDNN, with this many threads.
std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec, int threads);

// Whether oneDNN has fast primitives for these over blocks of channels, and Winograd's for one of them.
bool prefersChannelBlocks(std::span<const ConvolutionSpec> convolutions, int threads);

}  // namespace ringside::cpu
