// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn_plans.h"

namespace ringside::cpu {

ForwardPlan forwardPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm) {
    const dnnl::convolution_forward::desc description(dnnl::prop_kind::forward_training, algorithm, s.x, s.weight,
                                                      s.bias, s.y, s.strides, s.padding, s.padding);
    return {description, engine};
}

WeightsPlan weightsPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                        const ForwardPlan& hint) {
    const dnnl::convolution_backward_weights::desc description(algorithm, s.x, s.weight, s.bias, s.y, s.strides,
                                                               s.padding, s.padding);
    return {description, engine, hint};
}

DataPlan dataPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                  const ForwardPlan& hint) {
    const dnnl::convolution_backward_data::desc description(algorithm, s.x, s.weight, s.y, s.strides, s.padding,
                                                            s.padding);
    return {description, engine, hint};
}

}  // namespace ringside::cpu
