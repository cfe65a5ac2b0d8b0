// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cuda_reduction_kernels.h"

#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/tensor_access.h"

namespace ringside::cuda {

namespace {

double* doubles(const Tensor& tensor) {
    return static_cast<double*>(tensor.data);
}

std::int64_t* integers(const Tensor& tensor) {
    return static_cast<std::int64_t*>(tensor.data);
}

}  // namespace

CudaReductionKernels::CudaReductionKernels(const CudaDevice& device, cudaStream_t stream)
    : m_device(device), m_stream(stream), m_parts(device, "partial sums of squares") {}

void CudaReductionKernels::copyEveryNth(const Tensor& from, std::int64_t first, std::int64_t step, const Tensor& to) {
    const std::size_t rows = rowsOf(to);
    if (rows == 0) return;
    const std::size_t rowBytes = to.bytes() / rows;
    const auto* source = static_cast<const char*>(from.data) + static_cast<std::size_t>(first) * rowBytes;
    m_device.check(cudaMemcpy2DAsync(to.data, rowBytes, source, static_cast<std::size_t>(step) * rowBytes, rowBytes,
                                     rows, cudaMemcpyDeviceToDevice, m_stream),
                   "copying rows");
}

void CudaReductionKernels::squaresOfRows(const Tensor& tensor, const Tensor& squares) {
    if (doublesIn(squares) == 0) return;
    m_device.check(cudaMemsetAsync(squares.data, 0, squares.bytes(), m_stream), "summing squares");
    auto* parts = m_parts.atLeast<double>(kNormBlocks);
    const SummedValues summed{floats(tensor), countOf(tensor)};
    squaredNormParts(&summed, 1, parts, m_stream);
    eachRow(1, RowSumRow{parts, kNormBlocks, doubles(squares)}, m_stream);
    m_device.checkLaunch("summing squares");
}

void CudaReductionKernels::squaresOfTensors(const Tensor& rows, const Tensor& ends, const Tensor& squares) {
    eachRow(doublesIn(squares), TensorNormRow{doubles(rows), integers(ends), doubles(squares)}, m_stream);
    m_device.checkLaunch("summing squares");
}

void CudaReductionKernels::addExactSquares(const Tensor& values, const Tensor& sums) {
    cuda::addExactSquares(floats(values), countOf(values), integers(sums), m_stream);
    m_device.checkLaunch("summing squares");
}

void CudaReductionKernels::totalOfExactSquares(const Tensor& sums, const Tensor& square) {
    eachValue(1, ExactTotalValue{integers(sums), doubles(square)}, m_stream);
    m_device.checkLaunch("summing squares");
}

void CudaReductionKernels::decideUpdate(const Tensor& squares, const UpdateRules& rules, const Tensor& state) {
    eachValue(1, DecidedValue{doubles(squares), doublesIn(squares), rules, static_cast<UpdateState*>(state.data)},
              m_stream);
    m_device.checkLaunch("checking for infinite gradients");
}

}  // namespace ringside::cuda
