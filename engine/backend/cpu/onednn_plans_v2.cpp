// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn_plans.h"

namespace ringside::cpu {

namespace {
constexpr auto kDirect = dnnl::algorithm::convolution_direct;
}

ForwardPlan forwardPlan(const dnnl::engine& engine, const ConvolutionShapes& s) {
    const dnnl::convolution_forward::desc description(dnnl::prop_kind::forward_training, kDirect, s.x, s.weight, s.bias,
                                                      s.y, s.strides, s.padding, s.padding);
    return {description, engine};
}

WeightsPlan weightsPlan(const dnnl::engine& engine, const ConvolutionShapes& s, const ForwardPlan& hint) {
    const dnnl::convolution_backward_weights::desc description(kDirect, s.x, s.weight, s.bias, s.y, s.strides,
                                                               s.padding, s.padding);
    return {description, engine, hint};
}

DataPlan dataPlan(const dnnl::engine& engine, const ConvolutionShapes& s, const ForwardPlan& hint) {
    const dnnl::convolution_backward_data::desc description(kDirect, s.x, s.weight, s.y, s.strides, s.padding,
                                                            s.padding);
    return {description, engine, hint};
}

}  // namespace ringside::cpu
