// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>
#include <functional>

namespace ringside::cpu {

// How a convolution's primitives are planned; oneDNN 3 does in one step what 2 does in two, each in a file of its own.
using ForwardPlan = dnnl::convolution_forward::primitive_desc;
using WeightsPlan = dnnl::convolution_backward_weights::primitive_desc;
using DataPlan = dnnl::convolution_backward_data::primitive_desc;

// What oneDNN is told about a convolution; the weights may be in any order it likes.
struct ConvolutionShapes {
    dnnl::memory::desc x, weight, bias, y;
    dnnl::memory::dims strides, padding;
};

// Primitives of these work in memory that they are given at each run.
inline dnnl::primitive_attr ownScratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

// Whether an implementation is to be taken.
using Accepts = std::function<bool(const dnnl::primitive_desc_base&)>;

// The first of oneDNN's implementations that is accepted.
template <class Plan>
Plan firstOf(Plan plan, const Accepts& accepts) {
    while (!accepts(plan))
        if (!plan.next_impl()) throw dnnl::error(dnnl_unimplemented, "no implementation is safe for it");
    return plan;
}

// Each throws dnnl::error where oneDNN has no such algorithm for these shapes on this CPU.

ForwardPlan forwardPlan(const dnnl::engine& engine, const ConvolutionShapes& shapes, dnnl::algorithm algorithm,
                        const Accepts& accepts);
WeightsPlan weightsPlan(const dnnl::engine& engine, const ConvolutionShapes& shapes, dnnl::algorithm algorithm,
                        const ForwardPlan& hint, const Accepts& accepts);
DataPlan dataPlan(const dnnl::engine& engine, const ConvolutionShapes& shapes, dnnl::algorithm algorithm,
                  const ForwardPlan& hint, const Accepts& accepts);

}  // namespace ringside::cpu
