// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cuda/cuda_backend.h"
#include "backend/update_state.h"

namespace ringside {

inline std::vector<float> numbers(std::int64_t count, std::uint32_t seed) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) {
        seed = seed * 1664525U + 1013904223U;
        values.push_back((static_cast<float>(seed >> 8) / 8388608.0F - 1.0F));
    }
    return values;
}

// Backends of the CPU and of the GPU, and tensors that exist on both with the same content.
struct Both {
    std::unique_ptr<Backend> cpu = makeCpuBackend(1);
    CudaBackend gpu;

    explicit Both(const CudaOptions& options = {}) : gpu(options) {}

    struct Pair {
        Tensor cpu;
        Tensor gpu;
    };

    Pair floats(const Shape& shape, std::uint32_t seed) {
        const std::vector<float> values =
            seed == 0 ? std::vector<float>(static_cast<std::size_t>(shape.count())) : numbers(shape.count(), seed);
        Pair pair{cpu->allocate(shape, DType::kFloat32), gpu.allocate(shape, DType::kFloat32)};
        cpu->upload(values.data(), pair.cpu);
        gpu.upload(values.data(), pair.gpu);
        return pair;
    }
    Pair labels(std::int64_t rows, std::int64_t classes) {
        std::vector<std::int64_t> values;
        for (std::int64_t i = 0; i < rows; ++i) values.push_back(i * 7 % classes);
        Pair pair{cpu->allocate({rows}, DType::kInt64), gpu.allocate({rows}, DType::kInt64)};
        cpu->upload(values.data(), pair.cpu);
        gpu.upload(values.data(), pair.gpu);
        return pair;
    }
    Pair updateState(const UpdateState& start) {
        const Shape shape{sizeof start};
        Pair pair{cpu->allocate(shape, DType::kUInt8), gpu.allocate(shape, DType::kUInt8)};
        cpu->upload(&start, pair.cpu);
        gpu.upload(&start, pair.gpu);
        return pair;
    }
    std::vector<float> fromGpu(const Tensor& tensor) {
        std::vector<float> values(static_cast<std::size_t>(tensor.count()));
        gpu.download(tensor, values.data());
        return values;
    }
    // Returns the sum of the squares of the GPU's values, added as doubles on the host.
    double sumOfSquares(const Pair& pair) {
        double sum = 0;
        for (const float value : fromGpu(pair.gpu)) sum += static_cast<double>(value) * static_cast<double>(value);
        return sum;
    }
    // Returns the largest difference relative to the largest value. Rounding in another order of additions causes a
    // small difference.
    double difference(const Pair& pair) {
        const std::vector<float> mine = fromGpu(pair.gpu);
        const auto reference = pair.cpu.floats();
        double largest = 1e-30;
        double apart = 0;
        for (std::size_t i = 0; i < mine.size(); ++i) {
            if (!std::isfinite(mine[i])) return INFINITY;
            largest = std::max(largest, std::abs(static_cast<double>(reference[i])));
            apart = std::max(apart, std::abs(static_cast<double>(mine[i]) - static_cast<double>(reference[i])));
        }
        return apart / largest;
    }
};

// float32 sums in another order: 2.2e-6 for 4096 products of the numbers above; TF32 would be off by 2.3e-4.
inline constexpr double kRounding = 1e-5;

}  // namespace ringside
