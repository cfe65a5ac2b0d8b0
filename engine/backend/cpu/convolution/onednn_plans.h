// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>
#include <functional>

namespace ringside::cpu {

// oneDNN's primitive descriptors of the three passes of a convolution. oneDNN 3 makes a descriptor in one step, oneDNN
// 2 in two; each version has its own .cpp file.
using ForwardPlan = dnnl::convolution_forward::primitive_desc;
using WeightsPlan = dnnl::convolution_backward_weights::primitive_desc;
using DataPlan = dnnl::convolution_backward_data::primitive_desc;

// Description of a convolution for oneDNN. oneDNN chooses the memory layout of the weights.
struct ConvolutionShapes {
    dnnl::memory::desc x, weight, bias, y;
    dnnl::memory::dims strides, padding;
};

// Returns attributes with which a primitive uses the scratchpad passed at each run.
inline dnnl::primitive_attr ownScratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

// Function that selects among oneDNN's implementations of a primitive: returns true if the implementation may be used.
using Accepts = std::function<bool(const dnnl::primitive_desc_base&)>;

// Returns the first of oneDNN's implementations for which `accepts` returns true. Throws dnnl::error if there is none.
template <class Plan>
Plan firstOf(Plan plan, const Accepts& accepts) {
    while (!accepts(plan))
        if (!plan.next_impl())
            throw dnnl::error(dnnl_unimplemented, "oneDNN has no implementation that Ringside may use");
    return plan;
}

// Each function makes the primitive descriptor of one pass (forward, gradient of the input, gradient of the weights).
// Throws dnnl::error if oneDNN lacks the algorithm for the shapes on this CPU.

ForwardPlan forwardPlan(const dnnl::engine& engine, const ConvolutionShapes& shapes, dnnl::algorithm algorithm,
                        const Accepts& accepts);
WeightsPlan weightsPlan(const dnnl::engine& engine, const ConvolutionShapes& shapes, dnnl::algorithm algorithm,
                        const ForwardPlan& hint, const Accepts& accepts);
DataPlan dataPlan(const dnnl::engine& engine, const ConvolutionShapes& shapes, dnnl::algorithm algorithm,
                  const ForwardPlan& hint, const Accepts& accepts);

}  // namespace ringside::cpu
