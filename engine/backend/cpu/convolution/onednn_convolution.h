// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/convolution.h"
#include "backend/cpu/support/scratchpad.h"

namespace ringside::cpu {

// Makes a convolution that uses oneDNN with this number of threads. winograd: computes the gradients by Winograd's
// algorithm where it is faster. The scratchpad must outlive the convolution.
std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec, int threads, bool winograd,
                                             Scratchpad& scratchpad);

// True if oneDNN has AVX-512 primitives for each of the convolutions on images that are stored in blocks of channels.
bool prefersChannelBlocks(std::span<const ConvolutionSpec> convolutions, int threads);

}  // namespace ringside::cpu
