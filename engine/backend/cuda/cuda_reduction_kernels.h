// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/cuda/device/cuda_device.h"
#include "backend/cuda/device/growing_memory.h"
#include "backend/reduction_kernels.h"

namespace ringside::cuda {

// ReductionKernels of a GPU, on one stream.
class CudaReductionKernels final : public ReductionKernels {
  public:
    // The device must outlive this object.
    CudaReductionKernels(const CudaDevice& device, cudaStream_t stream);

    void copyEveryNth(const Tensor& from, std::int64_t first, std::int64_t step, const Tensor& to) override;
    // Writes the sum of all squares into the first element of `squares`, and zeros into the other elements.
    void squaresOfRows(const Tensor& tensor, const Tensor& squares) override;
    void squaresOfTensors(const Tensor& rows, const Tensor& ends, const Tensor& squares) override;
    void addExactSquares(const Tensor& values, const Tensor& sums) override;
    void totalOfExactSquares(const Tensor& sums, const Tensor& square) override;
    void decideUpdate(const Tensor& squares, const UpdateRules& rules, const Tensor& state) override;

  private:
    const CudaDevice& m_device;
    cudaStream_t m_stream;
    GrowingMemory m_parts;
};

}  // namespace ringside::cuda
