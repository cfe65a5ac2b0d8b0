// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/convolution.h"
#include "backend/cpu/convolution/onednn_plans.h"

namespace ringside::cpu {

// Plans of a convolution's three passes for one batch size. The forward pass is always direct: its rounding decides on
// which side of a ReLU a value falls and which value of a window is the largest, and Winograd's algorithm has about
// three times the rounding error. Gradients can be computed by Winograd's algorithm, because no such decision depends
// on them.
struct Plans {
    Plans(const dnnl::engine& engine, const ConvolutionSpec& spec, dnnl::memory::dim batch, bool winograd);

    ConvolutionShapes shapes;
    Accepts trusts;
    ForwardPlan forward;
    WeightsPlan weights;
    DataPlan data;

  private:
    // Returns the shapes of the convolution. If the memory layout of x was not specified, sets it to the layout that
    // oneDNN chose for the forward pass.
    const ConvolutionShapes& resolvedShapes();
};

}  // namespace ringside::cpu
