// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"

namespace ringside {

// ReductionKernels of a backend whose tensors lie in host memory and whose operations are complete when they return.
class HostReductionKernels final : public ReductionKernels {
  public:
    explicit HostReductionKernels(Backend& backend) : m_backend(backend) {}  // the backend must outlive this object

    void copyEveryNth(const Tensor& from, std::int64_t first, std::int64_t step, const Tensor& to) override;
    void squaresOfRows(const Tensor& tensor, const Tensor& squares) override;
    void squaresOfTensors(const Tensor& rows, const Tensor& ends, const Tensor& squares) override;
    void addExactSquares(const Tensor& values, const Tensor& sums) override;
    void totalOfExactSquares(const Tensor& sums, const Tensor& square) override;
    void decideUpdate(const Tensor& squares, const UpdateRules& rules, const Tensor& state) override;

  private:
    Backend& m_backend;
};

}  // namespace ringside
