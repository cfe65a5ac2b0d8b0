// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/cudnn/convolution_plan.h"

namespace ringside::cuda {

// Returns the complete operation graph of one pass: a single operation over x, weight and y, or their gradients.
CudnnDescriptor convolutionGraph(const CudnnTarget& target, const ConvolutionProblem& problem);

}  // namespace ringside::cuda
