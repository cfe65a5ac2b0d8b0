// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/errors/errors.h"
#include "tensor/device.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace ringside {

// Dense, row-major view of memory that a Backend or Communicator owns. Valid as long as the owner lives.
struct Tensor {
    void* data = nullptr;
    Shape shape;
    DType type = DType::kFloat32;
    Device device;

    explicit operator bool() const { return data != nullptr; }
    std::int64_t count() const { return shape.count(); }
    std::int64_t rows() const { return shape[0]; }
    std::size_t bytes() const { return static_cast<std::size_t>(count()) * sizeOf(type); }

    // Returns a view of the first rows, for a batch that is smaller than the tensor.
    Tensor head(std::int64_t rowCount) const {
        RINGSIDE_ASSERT(rowCount <= rows());
        return {data, shape.withRows(rowCount), type, device};
    }

    // Returns a view of one row of a matrix, as a vector.
    Tensor row(std::int64_t index) const {
        const std::size_t rowBytes = bytes() / static_cast<std::size_t>(rows());
        return {
            static_cast<char*>(data) + static_cast<std::size_t>(index) * rowBytes, {count() / rows()}, type, device};
    }

    // Returns the values as a span. The tensor must be in host memory.
    std::span<float> floats() const {
        RINGSIDE_ASSERT(type == DType::kFloat32 && device.kind == Device::Kind::kCpu);
        return {static_cast<float*>(data), static_cast<std::size_t>(count())};
    }
    std::span<std::int64_t> integers() const {
        RINGSIDE_ASSERT(type == DType::kInt64 && device.kind == Device::Kind::kCpu);
        return {static_cast<std::int64_t*>(data), static_cast<std::size_t>(count())};
    }
};

}  // namespace ringside
