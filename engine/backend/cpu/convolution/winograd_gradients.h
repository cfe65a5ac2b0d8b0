// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/convolution.h"
#include "backend/cpu/support/scratchpad.h"

namespace ringside::cpu {

// The gradients of a 3x3 convolution of stride 1 over channels-last images by Winograd's F(4x4, 3x3) (Lavin and Gray,
// 2016): 36 products of matrices instead of 9 for four times as many pixels. Tiles of 4 x 4 pixels are worked on in
// chunks of a fixed size, so that the result does not depend on the number of threads.
class WinogradGradients {
  public:
    // Where it saves more than its transforms cost.
    static bool suits(const ConvolutionSpec& spec);

    WinogradGradients(const ConvolutionSpec& spec, int threads, Scratchpad& scratchpad)
        : m_spec(spec), m_threads(threads), m_scratchpad(scratchpad) {}

    // See Convolution. std::bad_alloc where memory ran out.
    void backwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight, const Tensor& gradBias);
    void backwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX);

  private:
    ConvolutionSpec m_spec;
    int m_threads;
    Scratchpad& m_scratchpad;
};

}  // namespace ringside::cpu
