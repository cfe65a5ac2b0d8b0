// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn_plans.h"

namespace ringside::cpu {

ForwardPlan forwardPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm) {
    return {engine,   dnnl::prop_kind::forward_training, algorithm, s.x, s.weight, s.bias, s.y, s.strides, s.padding,
            s.padding};
}

WeightsPlan weightsPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                        const ForwardPlan& hint) {
    return {engine, algorithm, s.x, s.weight, s.bias, s.y, s.strides, s.padding, s.padding, hint};
}

DataPlan dataPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                  const ForwardPlan& hint) {
    return {engine, algorithm, s.x, s.weight, s.y, s.strides, s.padding, s.padding, hint};
}

}  // namespace ringside::cpu
