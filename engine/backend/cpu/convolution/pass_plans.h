// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/convolution.h"
#include "backend/cpu/convolution/onednn_plans.h"

namespace ringside::cpu {

// How the passes of a convolution are done for one batch size. The forward pass is always direct: its rounding decides
// on which side of a ReLU a value falls and which of a window is the largest, and Winograd's rounds three times as far.
// The gradients decide nothing.
struct Plans {
    Plans(const dnnl::engine& engine, const ConvolutionSpec& spec, dnnl::memory::dim batch, bool winograd);

    ConvolutionShapes shapes;
    Accepts trusts;
    ForwardPlan forward;
    WeightsPlan weights;
    DataPlan data;

  private:
    // The order of x that was left open is the one of the forward pass.
    const ConvolutionShapes& settled();
};

}  // namespace ringside::cpu
