// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/tensor_access.h"

// Definitions of CudaBackend's templates that launch kernels. Included by the files that implement CudaBackend.
namespace ringside {

template <class Value>
void CudaBackend::values(std::size_t count, const Value& value, const char* doing) {
    cuda::eachValue(count, value, m_stream.get());
    m_device.checkLaunch(doing);
}

template <class Value>
void CudaBackend::listed(cuda::ValueList<Value>& list, const Value& value, std::size_t count, const char* doing) {
    if (count > 0) list.add(value, count, cuda::blocksOf(count));
    if (list.isFull() || !m_options.updatesAtOnce) finishList(list, doing);
}

template <class Value>
void CudaBackend::finishList(cuda::ValueList<Value>& list, const char* doing) {
    cuda::eachListedValue(list, m_stream.get());
    m_device.checkLaunch(doing);
    list = {};
}

template <class Row>
void CudaBackend::rows(std::size_t count, const Row& row, const char* doing) {
    cuda::eachRow(count, row, m_stream.get());
    m_device.checkLaunch(doing);
}

template <class Term, class Finish>
void CudaBackend::columns(std::size_t rowCount, std::size_t columnCount, const Term& term, const Finish& finish,
                          const char* doing) {
    auto* partial = m_sums.atLeast<double>(cuda::columnPartials(columnCount));
    cuda::eachColumn(rowCount, columnCount, term, finish, partial, m_stream.get());
    m_device.checkLaunch(doing);
}

}  // namespace ringside
