// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution/onednn_plans.h"

namespace ringside::cpu {

ForwardPlan forwardPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                        const Accepts& accepts) {
    return firstOf(ForwardPlan(engine, dnnl::prop_kind::forward_training, algorithm, s.x, s.weight, s.bias, s.y,
                               s.strides, s.padding, s.padding, ownScratchpad()),
                   accepts);
}

WeightsPlan weightsPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                        const ForwardPlan& hint, const Accepts& accepts) {
    return firstOf(WeightsPlan(engine, algorithm, s.x, s.weight, s.bias, s.y, s.strides, s.padding, s.padding, hint,
                               ownScratchpad()),
                   accepts);
}

DataPlan dataPlan(const dnnl::engine& engine, const ConvolutionShapes& s, dnnl::algorithm algorithm,
                  const ForwardPlan& hint, const Accepts& accepts) {
    return firstOf(
        DataPlan(engine, algorithm, s.x, s.weight, s.y, s.strides, s.padding, s.padding, hint, ownScratchpad()),
        accepts);
}

}  // namespace ringside::cpu
