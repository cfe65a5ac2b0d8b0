// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/convolution.h"
#include "backend/cpu/convolution/onednn_weight_gradient.h"
#include "backend/cpu/convolution/pass_plans.h"
#include "backend/cpu/support/scratchpad.h"

namespace ringside::cpu {

// oneDNN primitive with its arguments, which are assembled once. Its working memory is a part of the scratchpad.
class BoundPrimitive {
  public:
    BoundPrimitive(dnnl::primitive primitive, const dnnl::memory::desc& scratch, const dnnl::engine& engine);

    void bind(int argument, const dnnl::memory& memory) { m_arguments.push_back({argument, memory.get()}); }
    void run(const dnnl::stream& stream, Scratchpad& scratchpad);

  private:
    dnnl::primitive m_primitive;
    std::size_t m_scratchBytes;
    dnnl::memory m_scratch;
    std::vector<dnnl_exec_arg_t> m_arguments;
};

// Forward pass and backward passes of a convolution (gradients of the input and of the weights) for one batch size.
class BatchPasses {
  public:
    BatchPasses(const ConvolutionSpec& spec, dnnl::memory::dim batch, bool winograd, int threads,
                const dnnl::engine& engine, Scratchpad& scratchpad);

    dnnl::memory::dim batch() const { return m_batch; }
    void forward(dnnl::stream& stream, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y);
    void backwardParameters(dnnl::stream& stream, const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                            const Tensor& gradBias);
    void backwardInput(dnnl::stream& stream, const Tensor& gradY, const Tensor& weight, const Tensor& gradX);

  private:
    dnnl::memory owned(const dnnl::memory::desc& description, const dnnl::engine& engine);
    BoundPrimitive reorder(const dnnl::memory& from, const dnnl::memory& to, const dnnl::engine& engine);

    dnnl::memory::dim m_batch;
    Scratchpad& m_scratchpad;
    Plans m_plans;
    OneDnnWeightGradient m_weights;
    std::vector<HostBlock> m_blocks;
    dnnl::memory m_x, m_y, m_bias, m_weight;  // memory objects of the tensors that the caller passes to a pass; in a
                                              // backward pass, some of them are gradients
    dnnl::memory m_forwardWeight, m_gradWeight, m_dataWeight;  // weights in the memory layout that each pass prefers
    BoundPrimitive m_packForward, m_packData, m_unpackGradient;
    BoundPrimitive m_forward, m_data;
};

}  // namespace ringside::cpu
