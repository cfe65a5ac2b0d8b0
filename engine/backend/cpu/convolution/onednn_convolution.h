// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/convolution.h"
#include "backend/cpu/support/scratchpad.h"

namespace ringside::cpu {

// By oneDNN, with this many threads. winograd: the gradients by Winograd's algorithm where that is faster. The
// scratchpad outlives the convolution.
std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec, int threads, bool winograd,
                                             Scratchpad& scratchpad);

// Whether oneDNN has fast primitives for these over blocks of channels, and one of them is wide enough to gain by it.
bool prefersChannelBlocks(std::span<const ConvolutionSpec> convolutions, int threads);

}  // namespace ringside::cpu
