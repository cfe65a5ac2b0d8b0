// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/convolution.h"
#include "backend/cpu/support/scratchpad.h"

namespace ringside::cpu {

// Gradients of a 3x3 convolution with stride 1 over channels-last images by Winograd's algorithm F(4x4, 3x3) (Lavin and
// Gray, 2016).
//
// The output is cut into tiles of 4 x 4 pixels, which depend on 6 x 6 input pixels. A linear transform maps the 6 x 6
// input pixels to 36 points, another one the 3 x 3 kernel; the convolution is then one product per point, and a third
// transform maps the 36 products to the 4 x 4 pixels: 36 multiplications instead of 144. Over all channels and tiles,
// each point is one matrix product. The gradient with respect to x is such a convolution of gradY with the kernels
// turned by 180 degrees. The gradient with respect to the weights uses the transposed transforms: the points of gradY's
// tiles times those of x's tiles, summed over the tiles, are mapped back to 3 x 3 values.
//
// Tiles are processed in chunks of a fixed size, so that the result does not depend on the number of threads.
class WinogradGradients {
  public:
    // True if the convolution has the required shape and is wide enough to gain more than the transforms cost.
    static bool isSuitable(const ConvolutionSpec& spec);

    WinogradGradients(const ConvolutionSpec& spec, int threads, Scratchpad& scratchpad)
        : m_spec(spec), m_threads(threads), m_scratchpad(scratchpad) {}

    // Compute the gradients as the functions of the same names in Convolution. Throw std::bad_alloc if memory is
    // exhausted.
    void backwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight, const Tensor& gradBias);
    void backwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX);

  private:
    ConvolutionSpec m_spec;
    int m_threads;
    Scratchpad& m_scratchpad;
};

}  // namespace ringside::cpu
