// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution/onednn_plans.h"

namespace ringside::cpu {

// In the functions below, each description must live until firstOf() returns, because oneDNN uses the description to
// find the next implementation.

ForwardPlan forwardPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                        const Accepts& accepts) {
    const dnnl::convolution_forward::desc description(dnnl::prop_kind::forward_training, algorithm, s.x, s.weight,
                                                      s.bias, s.y, s.strides, s.padding, s.padding);
    return firstOf(ForwardPlan(description, ownScratchpad(), engine), accepts);
}

WeightsPlan weightsPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                        const ForwardPlan& hint, const Accepts& accepts) {
    const dnnl::convolution_backward_weights::desc description(algorithm, s.x, s.weight, s.bias, s.y, s.strides,
                                                               s.padding, s.padding);
    return firstOf(WeightsPlan(description, ownScratchpad(), engine, hint), accepts);
}

DataPlan dataPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                  const ForwardPlan& hint, const Accepts& accepts) {
    const dnnl::convolution_backward_data::desc description(algorithm, s.x, s.weight, s.y, s.strides, s.padding,
                                                            s.padding);
    return firstOf(DataPlan(description, ownScratchpad(), engine, hint), accepts);
}

}  // namespace ringside::cpu
