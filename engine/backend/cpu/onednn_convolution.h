// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/convolution.h"

namespace ringside::cpu {

// By oneDNN, with this many threads.
std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec, int threads);

}  // namespace ringside::cpu
