// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "sampling/random/torch_random.h"
#include "sweeps/sweep_case.h"

namespace ringside {

using Doubles = std::vector<double>;

inline std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

// Tensors of one layer. Inputs are random numbers; outputs are NaN before each run.
class LayerRun {
  public:
    explicit LayerRun(Backend& backend) : m_backend(backend) {}

    Backend& backend() { return m_backend; }
    Tensor input(const Shape& shape) {
        const Tensor tensor = m_backend.allocate(shape, DType::kFloat32);
        if (tensor.count() > 0) TorchGenerator(++m_seed).normal(tensor.floats());
        return tensor;
    }
    Tensor output(const char* name, const Shape& shape) {
        m_outputs.push_back({name, m_backend.allocate(shape, DType::kFloat32), {}});
        return m_outputs.back().tensor;
    }
    // Returns a tensor that is neither an input nor an output.
    Tensor between(const Shape& shape, DType type = DType::kFloat32) { return m_backend.allocate(shape, type); }

    // Calls run() twice. Returns a fault if the two calls write different bits to an output.
    std::optional<std::string> runTwice(const std::function<void()>& run) {
        for (int turn = 0; turn < 2; ++turn) {
            for (const Output& output : m_outputs)
                for (float& value : output.tensor.floats()) value = std::numeric_limits<float>::quiet_NaN();
            run();
            for (Output& output : m_outputs) {
                const std::vector<float> now(output.tensor.floats().begin(), output.tensor.floats().end());
                if (turn == 1 && now != output.first) return "two runs differ in " + output.name;
                output.first = now;
            }
        }
        return std::nullopt;
    }

    // Returns how far the output of this name is from the expected values, in units of their root mean square.
    std::optional<std::string> compare(const std::string& name, const Doubles& expected) const {
        return compare(name, expected, expected);
    }
    // Compares with the expected values, in units of the root mean square of `unit`. Use this for outputs that are
    // differences: if the terms cancel, only rounding errors are left.
    std::optional<std::string> compare(const std::string& name, const Doubles& expected, const Doubles& unit) const {
        constexpr double kBound = 2e-5;
        for (const Output& output : m_outputs) {
            if (output.name != name) continue;
            double worst = 0, squares = 1e-30;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const double apart = std::abs(static_cast<double>(output.tensor.floats()[i]) - expected[i]);
                worst = apart <= worst ? worst : apart;  // also replaces `worst` by NaN
                squares += unit[i] * unit[i];
            }
            const double distance = worst / std::sqrt(squares / static_cast<double>(expected.size()));
            if (distance < kBound) return std::nullopt;
            return name + " is " + std::to_string(distance) + " away from the plain loop's";
        }
        return "there is no output " + name;
    }

  private:
    struct Output {
        std::string name;
        Tensor tensor;
        std::vector<float> first;
    };
    Backend& m_backend;
    std::vector<Output> m_outputs;
    std::uint64_t m_seed = 0;
};

inline Doubles zerosLike(const Tensor& tensor) {
    return Doubles(at(tensor.count()), 0.0);
}

inline Doubles doublesOf(const Tensor& tensor) {
    return Doubles(tensor.floats().begin(), tensor.floats().end());
}

// Returns the first fault in the list, or nothing.
inline std::optional<std::string> firstOf(std::initializer_list<std::optional<std::string>> faults) {
    for (const auto& fault : faults)
        if (fault) return fault;
    return std::nullopt;
}

// Compare each kind of layer with plain loops. Defined in convolution_check.cpp, image_checks.cpp and row_checks.cpp.
std::optional<std::string> checkConvolution(LayerRun& run, const SweepCase& which);
std::optional<std::string> checkBatchNorm(LayerRun& run, const SweepCase& which);
std::optional<std::string> checkMaxPool(LayerRun& run, const SweepCase& which);
std::optional<std::string> checkAveragePool(LayerRun& run, const SweepCase& which);
std::optional<std::string> checkLinear(LayerRun& run, const SweepCase& which);
std::optional<std::string> checkGelu(LayerRun& run, const SweepCase& which);
std::optional<std::string> checkLayerNorm(LayerRun& run, const SweepCase& which);
std::optional<std::string> checkAttention(LayerRun& run, const SweepCase& which);
std::optional<std::string> checkEmbedding(LayerRun& run, const SweepCase& which);

}  // namespace ringside
