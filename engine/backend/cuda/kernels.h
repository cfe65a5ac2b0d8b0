// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "backend/cuda/device_math.h"

// Kernel launches: enqueue on a stream and return. Launch errors are left for cudaGetLastError(). Matrices are
// row-major; pointers are device memory.
namespace ringside::cuda {

void fill(float* values, std::size_t count, float value, cudaStream_t stream);
void scale(float* values, std::size_t count, float factor, cudaStream_t stream);

// partial receives kNormBlocks sums of squares, whose own sum is the same in every run.
inline constexpr int kNormBlocks = 256;
void squaredNormParts(const float* values, std::size_t count, double* partial, cudaStream_t stream);

void addBias(float* y, const float* bias, std::size_t rows, std::size_t columns, cudaStream_t stream);
void columnSums(const float* in, float* sums, std::size_t rows, std::size_t columns, cudaStream_t stream);

void relu(const float* x, float* y, std::size_t count, cudaStream_t stream);
void reluGradient(const float* y, const float* gradY, float* gradX, std::size_t count, cudaStream_t stream);

// gradient may be null.
void softmaxCrossEntropy(const float* logits, const std::int64_t* labels, std::size_t rows, std::size_t columns,
                         float* rowLoss, float* rowCorrect, float* gradient, cudaStream_t stream);
void meanSquaredError(const float* prediction, const float* target, std::size_t rows, std::size_t columns,
                      float* rowLoss, float* gradient, cudaStream_t stream);
void argmax(const float* values, std::size_t rows, std::size_t columns, std::int64_t* indices, cudaStream_t stream);

void sgd(float* parameter, const float* gradient, float* momentum, std::size_t count, const SgdScalars& scalars,
         cudaStream_t stream);

}  // namespace ringside::cuda
