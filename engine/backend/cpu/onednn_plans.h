// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>

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

// Each throws dnnl::error where oneDNN has no such algorithm for these shapes on this CPU.

ForwardPlan forwardPlan(const dnnl::engine& engine, const ConvolutionShapes& shapes, dnnl::algorithm algorithm);
WeightsPlan weightsPlan(const dnnl::engine& engine, const ConvolutionShapes& shapes, dnnl::algorithm algorithm,
                        const ForwardPlan& hint);
DataPlan dataPlan(const dnnl::engine& engine, const ConvolutionShapes& shapes, dnnl::algorithm algorithm,
                  const ForwardPlan& hint);

}  // namespace ringside::cpu
