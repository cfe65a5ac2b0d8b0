// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"

namespace ringside::cpu {

// Operations on `images` channels-last images (H,W,C), which are distributed over the threads.

// Computes y = x^T for each sample x(rows,columns).
void transposeSamples(const float* x, float* y, std::size_t samples, std::size_t rows, std::size_t columns,
                      int threads);

void maxPool(const float* x, float* y, std::uint8_t* winners, std::size_t images, const MaxPoolSpec& spec, int threads);
void maxPoolGradient(const float* gradY, const std::uint8_t* winners, float* gradX, std::size_t images,
                     const MaxPoolSpec& spec, int threads);

// Computes y(channels) = mean over the pixels, for each image.
void averagePool(const float* x, float* y, std::size_t images, std::size_t pixels, std::size_t channels, int threads);
void averagePoolGradient(const float* gradY, float* gradX, std::size_t images, std::size_t pixels, std::size_t channels,
                         int threads);

}  // namespace ringside::cpu
