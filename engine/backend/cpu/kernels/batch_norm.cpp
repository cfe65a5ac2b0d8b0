// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels/batch_norm.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/support/parts.h"

namespace ringside::cpu {

namespace {

constexpr std::size_t kChunkRows = 1024;
// number of rows that are summed in float; each such sum is then added in double
constexpr std::size_t kFloatRows = 32;
constexpr std::size_t kMaxChannels = 256;  // number of channels that are processed at a time

float* floats(const Tensor& tensor) {
    return static_cast<float*>(tensor.data);
}

// Adds two sums per channel over `rows` rows to out(2,C). term() adds one row's two numbers for each of `width`
// channels to its last two arguments. Channels are processed in groups whose sums fit on the stack.
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

// Adds to `out`, for each channel, the sum of gradY and the sum of gradY * (x - mean).
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

// Values per channel from which the gradient with respect to x is computed.
struct InputGradient {
    const float* mean;
    const float* scale;   // weight / standard deviation, per channel
    const float* slope;   // factor of x - mean, per channel
    const float* centre;  // mean of the gradient, per channel
};

RINGSIDE_VECTORISED void inputGradient(const float* __restrict x, const float* __restrict gradY,
                                       float* __restrict gradX, InputGradient g, std::size_t rows,
                                       std::size_t channels) {
    for (std::size_t r = 0; r < rows; ++r, x += channels, gradY += channels, gradX += channels)
        for (std::size_t c = 0; c < channels; ++c)
            gradX[c] = (gradY[c] - g.centre[c] - (x[c] - g.mean[c]) * g.slope[c]) * g.scale[c];
}

}  // namespace

// Images as a matrix of `rows` rows of `width` channels, divided into chunks of chunkRows rows. All rows of a chunk
// contain the same channels; the first channel of chunk i is channel(i).
struct BatchNorm::Rows {
    Rows(const Tensor& x, std::size_t channelCount)
        : width(static_cast<std::size_t>(x.shape[x.shape.dimensions() - 1])),
          channels(channelCount),
          rows(static_cast<std::size_t>(x.count()) / width),
          chunkRows(width == channels ? kChunkRows : static_cast<std::size_t>(x.shape[2])) {}

    std::size_t chunks() const { return (rows + chunkRows - 1) / chunkRows; }
    std::size_t channel(std::size_t chunk) const { return chunk % (channels / width) * width; }
    double perChannel() const {
        const std::size_t count = rows * width / channels;
        return static_cast<double>(count);
    }

    std::size_t width, channels, rows, chunkRows;
};

// Calls visit(chunk, offset of the chunk's first value, number of rows in the chunk, first channel of the chunk).
template <class Visit>
void BatchNorm::forEachChunk(const Rows& r, const Visit& visit) const {
    forEach(m_threads, r.chunks(), [&](std::size_t chunk) {
        const std::size_t first = chunk * r.chunkRows;
        visit(chunk, first * r.width, std::min(r.chunkRows, r.rows - first), r.channel(chunk));
    });
}

template <class Add>
double* BatchNorm::sumOverChunks(const Rows& r, const Add& add) {
    const std::size_t parts = 2 * r.channels;
    m_sums.resize(std::max(m_sums.size(), parts + r.chunks() * 2 * r.width));
    double* chunkSums = m_sums.data() + parts;
    forEachChunk(r, [&](std::size_t chunk, std::size_t at, std::size_t count, std::size_t channel) {
        double* sums = chunkSums + chunk * 2 * r.width;
        std::fill_n(sums, 2 * r.width, 0.0);
        add(at, count, channel, sums);
    });
    std::fill_n(m_sums.data(), parts, 0.0);
    for (std::size_t chunk = 0; chunk < r.chunks(); ++chunk)
        for (std::size_t i = 0; i < 2 * r.width; ++i) {
            const std::size_t to = i / r.width * r.channels + r.channel(chunk) + i % r.width;
            m_sums[to] += chunkSums[chunk * 2 * r.width + i];
        }
    return m_sums.data();
}

void BatchNorm::scaleAndShift(const Tensor& x, const Tensor& y, std::size_t channels) {
    const Rows r(x, channels);
    forEachChunk(r, [&](std::size_t, std::size_t at, std::size_t count, std::size_t c) {
        scaleRows(floats(x) + at, m_factor.data() + c, m_offset.data() + c, floats(y) + at, count, r.width);
    });
}

// Normalises by the variance with divisor n, as PyTorch does, and updates the running variance with divisor n - 1. Both
// variances are computed in double and then rounded.
void BatchNorm::forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                        const Tensor& runningVariance, const Tensor& y, const Tensor& moments) {
    const auto channels = static_cast<std::size_t>(weight.count());
    const Rows rows(x, channels);
    const double n = rows.perChannel();
    float* mean = floats(moments);
    float* inverse = mean + channels;
    const auto moveTowards = [](float& running, double value) {
        running =
            static_cast<float>(kBatchNormMomentum * value + (1 - kBatchNormMomentum) * static_cast<double>(running));
    };
    const double* sums = sumOverChunks(rows, [&](std::size_t at, std::size_t count, std::size_t, double* out) {
        addValues(floats(x) + at, count, rows.width, out);
    });
    for (std::size_t c = 0; c < channels; ++c) {
        moveTowards(floats(runningMean)[c], sums[c] / n);
        mean[c] = static_cast<float>(sums[c] / n);
    }
    sums = sumOverChunks(rows, [&](std::size_t at, std::size_t count, std::size_t c, double* out) {
        addSquares(floats(x) + at, mean + c, count, rows.width, out);
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
    const Rows rows(x, channels);
    const double* sums = sumOverChunks(rows, [&](std::size_t at, std::size_t count, std::size_t c, double* out) {
        addGradients(floats(x) + at, floats(gradY) + at, mean + c, count, rows.width, out);
    });
    for (std::size_t c = 0; c < channels; ++c) {
        floats(gradBias)[c] = static_cast<float>(sums[c]);
        floats(gradWeight)[c] = static_cast<float>(sums[channels + c] * static_cast<double>(mean[channels + c]));
    }
}

// Computes scale * (gradY - mean(gradY) - n * mean(gradY * n)), where n are the normalised values.
void BatchNorm::backwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight, const Tensor& gradWeight,
                              const Tensor& gradBias, const Tensor& gradY, const Tensor& gradX) {
    const auto channels = static_cast<std::size_t>(weight.count());
    const Rows rows(x, channels);
    const float* mean = floats(moments);
    const float* inverse = mean + channels;
    const auto n = static_cast<float>(rows.perChannel());
    m_factor.resize(std::max(m_factor.size(), channels));
    m_offset.resize(std::max(m_offset.size(), 2 * channels));
    float* centre = m_offset.data();
    float* slope = centre + channels;
    for (std::size_t c = 0; c < channels; ++c) {
        m_factor[c] = inverse[c] * floats(weight)[c];
        centre[c] = floats(gradBias)[c] / n;
        slope[c] = floats(gradWeight)[c] * inverse[c] / n;
    }
    forEachChunk(rows, [&](std::size_t, std::size_t at, std::size_t count, std::size_t c) {
        inputGradient(floats(x) + at, floats(gradY) + at, floats(gradX) + at,
                      {mean + c, m_factor.data() + c, slope + c, centre + c}, count, rows.width);
    });
}

}  // namespace ringside::cpu
