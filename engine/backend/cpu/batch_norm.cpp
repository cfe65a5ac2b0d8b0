// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/batch_norm.h"

#include <algorithm>
#include <cmath>

namespace ringside::cpu {

namespace {

constexpr std::size_t kChunkRows = 1024;
constexpr std::size_t kFloatRows = 32;     // so many are added up in float before double takes over
constexpr std::size_t kMaxChannels = 256;  // at a time

float* floats(const Tensor& tensor) {
    return static_cast<float*>(tensor.data);
}

// Adds up `rows` rows of two values a channel: out(2,C) += term of each row. Channels go in groups that fit on the
// stack.
template <class Term>
inline void addRows(std::size_t rows, std::size_t channels, double* __restrict out, const Term& term) {
    for (std::size_t c0 = 0; c0 < channels; c0 += kMaxChannels) {
        const std::size_t width = std::min(kMaxChannels, channels - c0);
        for (std::size_t r0 = 0; r0 < rows; r0 += kFloatRows) {
            float first[kMaxChannels] = {};
            float second[kMaxChannels] = {};
            for (std::size_t r = r0; r < std::min(rows, r0 + kFloatRows); ++r)
                term(r * channels + c0, c0, width, first, second);
            for (std::size_t c = 0; c < width; ++c) {
                out[c0 + c] += static_cast<double>(first[c]);
                out[channels + c0 + c] += static_cast<double>(second[c]);
            }
        }
    }
}

RINGSIDE_VECTORISED void addValues(const float* __restrict x, std::size_t rows, std::size_t channels,
                                   double* __restrict out) {
    addRows(rows, channels, out, [x](std::size_t at, std::size_t, std::size_t width, float* __restrict sum, float*) {
        for (std::size_t c = 0; c < width; ++c) sum[c] += x[at + c];
    });
}

RINGSIDE_VECTORISED void addSquares(const float* __restrict x, const float* __restrict mean, std::size_t rows,
                                    std::size_t channels, double* __restrict out) {
    addRows(rows, channels, out,
            [x, mean](std::size_t at, std::size_t c0, std::size_t width, float* __restrict squares, float*) {
                for (std::size_t c = 0; c < width; ++c) {
                    const float apart = x[at + c] - mean[c0 + c];
                    squares[c] += apart * apart;
                }
            });
}

// The gradient's sum, and its sum along the centred values.
RINGSIDE_VECTORISED void addGradients(const float* __restrict x, const float* __restrict gradY,
                                      const float* __restrict mean, std::size_t rows, std::size_t channels,
                                      double* __restrict out) {
    addRows(rows, channels, out,
            [x, gradY, mean](std::size_t at, std::size_t c0, std::size_t width, float* __restrict sum,
                             float* __restrict along) {
                for (std::size_t c = 0; c < width; ++c) {
                    sum[c] += gradY[at + c];
                    along[c] += gradY[at + c] * (x[at + c] - mean[c0 + c]);
                }
            });
}

RINGSIDE_VECTORISED void scaleRows(const float* __restrict x, const float* __restrict factor,
                                   const float* __restrict offset, float* __restrict y, std::size_t rows,
                                   std::size_t channels) {
    for (std::size_t r = 0; r < rows; ++r, x += channels, y += channels)
        for (std::size_t c = 0; c < channels; ++c) y[c] = x[c] * factor[c] + offset[c];
}

struct InputGradient {
    const float* mean;
    const float* scale;   // weight / deviation
    const float* slope;   // of the normalised values
    const float* centre;  // mean gradient
};

RINGSIDE_VECTORISED void inputGradient(const float* __restrict x, const float* __restrict gradY,
                                       float* __restrict gradX, InputGradient g, std::size_t rows,
                                       std::size_t channels) {
    for (std::size_t r = 0; r < rows; ++r, x += channels, gradY += channels, gradX += channels)
        for (std::size_t c = 0; c < channels; ++c)
            gradX[c] = (gradY[c] - g.centre[c] - (x[c] - g.mean[c]) * g.slope[c]) * g.scale[c];
}

}  // namespace

template <class Visit>
void BatchNorm::forEachChunk(std::size_t rows, const Visit& visit) const {
    const std::size_t chunks = (rows + kChunkRows - 1) / kChunkRows;
#pragma omp parallel for num_threads(m_threads) if (m_threads > 1)
    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
        visit(chunk, chunk * kChunkRows, std::min(kChunkRows, rows - chunk * kChunkRows));
}

template <class Add>
double* BatchNorm::sumOverChunks(std::size_t rows, std::size_t channels, const Add& add) {
    const std::size_t chunks = (rows + kChunkRows - 1) / kChunkRows;
    const std::size_t width = 2 * channels;
    m_sums.resize(std::max(m_sums.size(), chunks * width));
    forEachChunk(rows, [&](std::size_t chunk, std::size_t first, std::size_t count) {
        double* sums = m_sums.data() + chunk * width;
        std::fill_n(sums, width, 0.0);
        add(first * channels, count, sums);
    });
    for (std::size_t chunk = 1; chunk < chunks; ++chunk)
        for (std::size_t i = 0; i < width; ++i) m_sums[i] += m_sums[chunk * width + i];
    return m_sums.data();
}

void BatchNorm::scaleAndShift(const Tensor& x, const Tensor& y, std::size_t channels) {
    forEachChunk(static_cast<std::size_t>(x.count()) / channels,
                 [&](std::size_t, std::size_t first, std::size_t count) {
                     scaleRows(floats(x) + first * channels, m_factor.data(), m_offset.data(),
                               floats(y) + first * channels, count, channels);
                 });
}

// torch: var_sum / n normalises, var_sum / (n - 1) goes into the running variance; both in double, then rounded.
void BatchNorm::forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                        const Tensor& runningVariance, const Tensor& y, const Tensor& moments) {
    const auto channels = static_cast<std::size_t>(weight.count());
    const std::size_t rows = static_cast<std::size_t>(x.count()) / channels;
    const auto n = static_cast<double>(rows);
    float* mean = floats(moments);
    float* inverse = mean + channels;
    const auto moveTowards = [](float& running, double value) {
        running =
            static_cast<float>(kBatchNormMomentum * value + (1 - kBatchNormMomentum) * static_cast<double>(running));
    };
    const double* sums = sumOverChunks(rows, channels, [&](std::size_t at, std::size_t count, double* out) {
        addValues(floats(x) + at, count, channels, out);
    });
    for (std::size_t c = 0; c < channels; ++c) {
        moveTowards(floats(runningMean)[c], sums[c] / n);
        mean[c] = static_cast<float>(sums[c] / n);
    }
    sums = sumOverChunks(rows, channels, [&](std::size_t at, std::size_t count, double* out) {
        addSquares(floats(x) + at, mean, count, channels, out);
    });
    m_factor.resize(std::max(m_factor.size(), channels));
    m_offset.resize(std::max(m_offset.size(), channels));
    for (std::size_t c = 0; c < channels; ++c) {
        moveTowards(floats(runningVariance)[c], sums[c] / (n - 1));
        inverse[c] = static_cast<float>(1 / std::sqrt(sums[c] / n + kNormEpsilon));
        m_factor[c] = inverse[c] * floats(weight)[c];
        m_offset[c] = floats(bias)[c] - mean[c] * m_factor[c];
    }
    scaleAndShift(x, y, channels);
}

void BatchNorm::evaluate(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                         const Tensor& runningVariance, const Tensor& y) {
    const auto channels = static_cast<std::size_t>(weight.count());
    m_factor.resize(std::max(m_factor.size(), channels));
    m_offset.resize(std::max(m_offset.size(), channels));
    for (std::size_t c = 0; c < channels; ++c) {
        const double variance = static_cast<double>(floats(runningVariance)[c]);
        m_factor[c] = static_cast<float>(1 / std::sqrt(variance + kNormEpsilon)) * floats(weight)[c];
        m_offset[c] = floats(bias)[c] - floats(runningMean)[c] * m_factor[c];
    }
    scaleAndShift(x, y, channels);
}

void BatchNorm::backwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                   const Tensor& gradWeight, const Tensor& gradBias) {
    const auto channels = static_cast<std::size_t>(gradWeight.count());
    const float* mean = floats(moments);
    const double* sums = sumOverChunks(static_cast<std::size_t>(x.count()) / channels, channels,
                                       [&](std::size_t at, std::size_t count, double* out) {
                                           addGradients(floats(x) + at, floats(gradY) + at, mean, count, channels, out);
                                       });
    for (std::size_t c = 0; c < channels; ++c) {
        floats(gradBias)[c] = static_cast<float>(sums[c]);
        floats(gradWeight)[c] = static_cast<float>(sums[channels + c] * static_cast<double>(mean[channels + c]));
    }
}

// With n the normalised values: scale * (gradY - mean(gradY) - n * mean(gradY * n)).
void BatchNorm::backwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight, const Tensor& gradWeight,
                              const Tensor& gradBias, const Tensor& gradY, const Tensor& gradX) {
    const auto channels = static_cast<std::size_t>(weight.count());
    const std::size_t rows = static_cast<std::size_t>(x.count()) / channels;
    const float* mean = floats(moments);
    const float* inverse = mean + channels;
    const auto n = static_cast<float>(rows);
    m_factor.resize(std::max(m_factor.size(), channels));
    m_offset.resize(std::max(m_offset.size(), 2 * channels));
    float* centre = m_offset.data();
    float* slope = centre + channels;
    for (std::size_t c = 0; c < channels; ++c) {
        m_factor[c] = inverse[c] * floats(weight)[c];
        centre[c] = floats(gradBias)[c] / n;
        slope[c] = floats(gradWeight)[c] * inverse[c] / n;
    }
    const InputGradient gradient{mean, m_factor.data(), slope, centre};
    forEachChunk(rows, [&](std::size_t, std::size_t first, std::size_t count) {
        inputGradient(floats(x) + first * channels, floats(gradY) + first * channels, floats(gradX) + first * channels,
                      gradient, count, channels);
    });
}

}  // namespace ringside::cpu
