// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/convolution.h"
#include "backend/cpu/convolution/onednn_plans.h"
#include "backend/cpu/support/scratchpad.h"

namespace ringside::cpu {

// Returns the number of pieces of a batch whose weight gradients are computed separately and then added in a fixed
// order. The number depends only on the amount of work, so that the result has the same bits for any number of threads.
std::int64_t gradientPieces(const ConvolutionSpec& spec, std::int64_t batch, bool winograd);

// Computes the gradients of a convolution's weights and bias for batches of one size.
class OneDnnWeightGradient {
  public:
    // Throws dnnl::error if oneDNN has no implementation for the shapes of `spec`.
    OneDnnWeightGradient(const ConvolutionSpec& spec, std::int64_t batch, bool winograd, int threads,
                         const dnnl::engine& engine, Scratchpad& scratchpad);

    // Memory layout of the weight gradient.
    const dnnl::memory::desc& order() const { return m_order; }
    // Overwrites gradWeight and gradBias; gradBias is null if the convolution has no bias. Throws dnnl::error if a
    // primitive fails and std::bad_alloc if memory is exhausted.
    void run(float* x, float* gradY, float* gradWeight, float* gradBias);

  private:
    // Range of consecutive images of a batch whose weight gradient is computed separately.
    struct Piece {
        std::int64_t first;  // index of the piece's first image in the batch
        std::size_t scratchBytes;
        dnnl::primitive primitive;
        dnnl::stream stream;
        dnnl::memory x, y, weight, bias, scratch;
        std::vector<dnnl_exec_arg_t> arguments;
        dnnl_status_t status = dnnl_success;
    };
    void cut(std::int64_t pieces, std::int64_t batch, bool winograd, const dnnl::engine& engine);
    void run(Piece& piece, float* x, float* gradY, void* scratch) const;

    ConvolutionSpec m_spec;
    int m_threads;
    dnnl::memory::desc m_order;
    std::vector<Piece> m_pieces;
    Scratchpad& m_scratchpad;
};

}  // namespace ringside::cpu
