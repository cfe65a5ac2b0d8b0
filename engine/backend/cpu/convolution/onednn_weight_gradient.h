// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/convolution.h"
#include "backend/cpu/convolution/onednn_plans.h"
#include "backend/cpu/support/scratchpad.h"

namespace ringside::cpu {

// How many pieces of a batch have their gradients computed apart: it depends on the work alone. The pieces are added up
// in their order, so that the bits are the same whatever the number of threads that share them.
std::int64_t gradientPieces(const ConvolutionSpec& spec, std::int64_t batch, bool winograd);

// The gradients of a convolution's weights and bias for one batch size.
class OneDnnWeightGradient {
  public:
    // dnnl::error where oneDNN has nothing for these shapes.
    OneDnnWeightGradient(const ConvolutionSpec& spec, std::int64_t batch, bool winograd, int threads,
                         const dnnl::engine& engine, Scratchpad& scratchpad);

    // How the gradient of the weights lies in memory.
    const dnnl::memory::desc& order() const { return m_order; }
    // Both gradients are overwritten; gradBias is null where there is no bias. dnnl::error where a primitive did not
    // run, std::bad_alloc where memory ran out.
    void run(float* x, float* gradY, float* gradWeight, float* gradBias);

  private:
    struct Piece {
        std::int64_t first;  // image
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
