// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/convolution.h"

namespace ringside::cpu {

// By oneDNN, with this many threads. winograd: the gradients by Winograd's algorithm where that is faster.
std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec, int threads, bool winograd);

// Whether oneDNN has fast primitives for these over blocks of channels, and one of them is wide enough to gain by it.
bool prefersChannelBlocks(std::span<const ConvolutionSpec> convolutions, int threads);

}  // namespace ringside::cpu
