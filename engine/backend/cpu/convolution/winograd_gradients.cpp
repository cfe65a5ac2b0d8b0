// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution/winograd_gradients.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "backend/cpu/kernels/elementwise.h"
#include "backend/cpu/kernels/matrix_product.h"
#include "backend/cpu/support/parts.h"

namespace ringside::cpu {

namespace {

using Lanes [[gnu::vector_size(32)]] = float;
constexpr std::size_t kChannelLanes = 8;
constexpr std::size_t kTile = 4;    // pixels per side of a tile
constexpr std::size_t kPoints = 6;  // points per side of a transformed tile
constexpr std::size_t kProducts = kPoints * kPoints;
constexpr std::size_t kChunk = 128;       // number of tiles (parts of an image) that are processed together
constexpr std::size_t kTilesPerPart = 8;  // tiles that one thread transforms at a time

std::size_t sizeOf(std::int64_t value) {
    return static_cast<std::size_t>(value);
}

[[gnu::always_inline]] inline Lanes load(const float* from) {
    Lanes values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

[[gnu::always_inline]] inline void store(float* to, const Lanes& values) {
    std::memcpy(to, &values, sizeof values);
}

// Interpolation points of the polynomials: 0, kP, kQ, their negatives, and infinity. These values of kP and kQ have a
// smaller rounding error than the textbook's 1 and 2. kOfZero, kOfP and kOfQ belong to the points 0, kP and kQ: the
// reciprocal of the product of the point's distances to the other points.
constexpr float kP = 0.625F, kQ = 1.5F, kP2 = kP * kP, kQ2 = kQ * kQ, kP3 = kP2 * kP, kQ3 = kQ2 * kQ;
constexpr float kOfZero = 1 / (kP2 * kQ2), kOfP = 1 / (2 * kP2 * (kP2 - kQ2)), kOfQ = 1 / (2 * kQ2 * (kQ2 - kP2));

// One-dimensional transforms of values whose addresses are `step` values apart: transformData() maps data to points,
// toPixels() products to pixels, fromPixels() is its transpose, fromKernel() maps a kernel to points, and toKernel() is
// its transpose.
template <std::size_t step>
[[gnu::always_inline]] inline void transformData(const Lanes* d, Lanes* t) {
    const Lanes even = d[4 * step] - kQ2 * d[2 * step], odd = kP * (d[3 * step] - kQ2 * d[step]);
    const Lanes even2 = d[4 * step] - kP2 * d[2 * step], odd2 = kQ * (d[3 * step] - kP2 * d[step]);
    t[0] = kP2 * kQ2 * d[0] - (kP2 + kQ2) * d[2 * step] + d[4 * step];
    t[step] = even + odd;
    t[2 * step] = even - odd;
    t[3 * step] = even2 + odd2;
    t[4 * step] = even2 - odd2;
    t[5 * step] = kP2 * kQ2 * d[step] - (kP2 + kQ2) * d[3 * step] + d[5 * step];
}

template <std::size_t step>
[[gnu::always_inline]] inline void toPixels(const Lanes* m, Lanes* y) {
    const Lanes sum = m[step] + m[2 * step], apart = m[step] - m[2 * step];
    const Lanes sum2 = m[3 * step] + m[4 * step], apart2 = m[3 * step] - m[4 * step];
    y[0] = m[0] + sum + sum2;
    y[step] = kP * apart + kQ * apart2;
    y[2 * step] = kP2 * sum + kQ2 * sum2;
    y[3 * step] = kP3 * apart + kQ3 * apart2 + m[5 * step];
}

template <std::size_t step>
[[gnu::always_inline]] inline void fromPixels(const Lanes* y, Lanes* m) {
    const Lanes even = y[0] + kP2 * y[2 * step], odd = kP * y[step] + kP3 * y[3 * step];
    const Lanes even2 = y[0] + kQ2 * y[2 * step], odd2 = kQ * y[step] + kQ3 * y[3 * step];
    const Lanes first = y[0], last = y[3 * step];
    m[0] = first;
    m[step] = even + odd;
    m[2 * step] = even - odd;
    m[3 * step] = even2 + odd2;
    m[4 * step] = even2 - odd2;
    m[5 * step] = last;
}

template <std::size_t step>
[[gnu::always_inline]] inline void fromKernel(const Lanes* g, Lanes* u) {
    const Lanes even = kOfP * (g[0] + kP2 * g[2 * step]), odd = kOfP * kP * g[step];
    const Lanes even2 = kOfQ * (g[0] + kQ2 * g[2 * step]), odd2 = kOfQ * kQ * g[step];
    const Lanes first = g[0], last = g[2 * step];
    u[0] = kOfZero * first;
    u[step] = even + odd;
    u[2 * step] = even - odd;
    u[3 * step] = even2 + odd2;
    u[4 * step] = even2 - odd2;
    u[5 * step] = last;
}

template <std::size_t step>
[[gnu::always_inline]] inline void toKernel(const Lanes* u, Lanes* g) {
    const Lanes sum = kOfP * (u[step] + u[2 * step]), apart = kOfP * (u[step] - u[2 * step]);
    const Lanes sum2 = kOfQ * (u[3 * step] + u[4 * step]), apart2 = kOfQ * (u[3 * step] - u[4 * step]);
    g[0] = kOfZero * u[0] + sum + sum2;
    g[step] = kP * apart + kQ * apart2;
    g[2 * step] = kP2 * sum + kQ2 * sum2 + u[5 * step];
}

// Channels-last images, divided into tiles.
struct TiledImages {
    TiledImages(float* pixels, std::int64_t images, const ConvolutionSpec& s, std::int64_t channelCount)
        : data(pixels),
          height(sizeOf(s.height)),
          width(sizeOf(s.width)),
          channels(sizeOf(channelCount)),
          across((width + kTile - 1) / kTile),
          perImage((height + kTile - 1) / kTile * across),
          tiles(perImage * sizeOf(images)) {}

    // Upper left pixel of a tile.
    struct Corner {
        float* image;
        std::size_t row, column;
    };
    Corner corner(std::size_t tile) const {
        const std::size_t inImage = tile % perImage;
        return {data + tile / perImage * height * width * channels, inImage / across * kTile, inImage % across * kTile};
    }
    float* pixel(const Corner& corner, std::size_t row, std::size_t column) const {
        return corner.image + ((corner.row + row) * width + corner.column + column) * channels;
    }

    float* data;
    std::size_t height, width, channels, across, perImage, tiles;
};

// Range of tiles that are processed together. Their 36 matrices of shape (tiles, channels), one for each point of a
// transformed 6x6 tile, lie one after the other.
struct Chunk {
    std::size_t first, tiles;  // index of the first tile, number of tiles
    std::size_t matrix(std::size_t channels) const { return tiles * channels; }
};

// Transforms the data of each tile with a border of one pixel to 36 points.
RINGSIDE_VECTORISED void transformTiles(TiledImages x, Chunk chunk, std::size_t tile, std::size_t end, float* out) {
    const std::size_t matrix = chunk.matrix(x.channels);
    for (; tile < end; ++tile) {
        const TiledImages::Corner corner = x.corner(chunk.first + tile);
        for (std::size_t c = 0; c < x.channels; c += kChannelLanes) {
            Lanes d[kProducts] = {}, t[kProducts];
            for (std::size_t i = 0; i < kPoints; ++i)
                for (std::size_t j = 0; j < kPoints; ++j) {
                    // The row or column before the image is -1, which as an unsigned number is larger than the image,
                    // so that the check below excludes it.
                    const std::size_t row = corner.row + i - 1, column = corner.column + j - 1;
                    if (row < x.height && column < x.width)
                        d[i * kPoints + j] = load(corner.image + (row * x.width + column) * x.channels + c);
                }
            for (std::size_t j = 0; j < kPoints; ++j) transformData<kPoints>(d + j, t + j);
            for (std::size_t i = 0; i < kPoints; ++i) transformData<1>(t + i * kPoints, d + i * kPoints);
            for (std::size_t p = 0; p < kProducts; ++p) store(out + p * matrix + tile * x.channels + c, d[p]);
        }
    }
}

// Transforms each 4x4 tile of the gradient with respect to y to 36 points, by the transpose of toPixels().
RINGSIDE_VECTORISED void transformGradients(TiledImages y, Chunk chunk, std::size_t tile, std::size_t end, float* out) {
    const std::size_t matrix = chunk.matrix(y.channels);
    for (; tile < end; ++tile) {
        const TiledImages::Corner corner = y.corner(chunk.first + tile);
        for (std::size_t c = 0; c < y.channels; c += kChannelLanes) {
            Lanes pixels[kTile * kTile] = {}, m[kProducts];
            Lanes t[kPoints * kTile];
            for (std::size_t i = 0; i < kTile; ++i)
                for (std::size_t j = 0; j < kTile; ++j)
                    if (corner.row + i < y.height && corner.column + j < y.width)
                        pixels[i * kTile + j] = load(y.pixel(corner, i, j) + c);
            for (std::size_t j = 0; j < kTile; ++j) fromPixels<kTile>(pixels + j, t + j);
            for (std::size_t i = 0; i < kPoints; ++i) fromPixels<1>(t + i * kTile, m + i * kPoints);
            for (std::size_t p = 0; p < kProducts; ++p) store(out + p * matrix + tile * y.channels + c, m[p]);
        }
    }
}

// Maps the products of each tile to pixels and writes them to y.
RINGSIDE_VECTORISED void writeTiles(const float* in, Chunk chunk, std::size_t tile, std::size_t end, TiledImages y) {
    const std::size_t matrix = chunk.matrix(y.channels);
    for (; tile < end; ++tile) {
        const TiledImages::Corner corner = y.corner(chunk.first + tile);
        for (std::size_t c = 0; c < y.channels; c += kChannelLanes) {
            Lanes m[kProducts], pixels[kTile * kPoints];
            for (std::size_t p = 0; p < kProducts; ++p) m[p] = load(in + p * matrix + tile * y.channels + c);
            for (std::size_t j = 0; j < kPoints; ++j) toPixels<kPoints>(m + j, pixels + j);
            for (std::size_t i = 0; i < kTile; ++i) {
                Lanes row[kTile];
                toPixels<1>(pixels + i * kPoints, row);
                for (std::size_t j = 0; j < kTile; ++j)
                    if (corner.row + i < y.height && corner.column + j < y.width)
                        store(y.pixel(corner, i, j) + c, row[j]);
            }
        }
    }
}

constexpr std::size_t kKernelValues = 9;

// Transforms the kernels of output channel `out`, turned by 180 degrees, for the gradient with respect to x. Writes one
// row of each of the 36 matrices (out, in).
RINGSIDE_VECTORISED void transformKernels(const float* weight, std::size_t out, std::size_t outputs, std::size_t inputs,
                                          float* u) {
    const std::size_t matrix = outputs * inputs;
    for (std::size_t c = 0; c < inputs; c += kChannelLanes) {
        Lanes g[kKernelValues], t[kPoints * 3], all[kProducts];
        const float* from = weight + (out * inputs + c) * kKernelValues;
        for (std::size_t k = 0; k < kKernelValues; ++k)
            for (std::size_t lane = 0; lane < kChannelLanes; ++lane)
                g[kKernelValues - 1 - k][lane] = from[lane * kKernelValues + k];
        for (std::size_t j = 0; j < 3; ++j) fromKernel<3>(g + j, t + j);
        for (std::size_t i = 0; i < kPoints; ++i) fromKernel<1>(t + i * 3, all + i * kPoints);
        for (std::size_t p = 0; p < kProducts; ++p) store(u + p * matrix + out * inputs + c, all[p]);
    }
}

// Writes the gradients of the kernels of output channel `out`, from the 36 matrices (out, in).
RINGSIDE_VECTORISED void writeKernels(const float* u, std::size_t out, std::size_t outputs, std::size_t inputs,
                                      float* gradWeight) {
    const std::size_t matrix = outputs * inputs;
    for (std::size_t c = 0; c < inputs; c += kChannelLanes) {
        Lanes all[kProducts], t[3 * kPoints], g[kKernelValues];
        for (std::size_t p = 0; p < kProducts; ++p) all[p] = load(u + p * matrix + out * inputs + c);
        for (std::size_t j = 0; j < kPoints; ++j) toKernel<kPoints>(all + j, t + j);
        for (std::size_t i = 0; i < 3; ++i) toKernel<1>(t + i * kPoints, g + i * 3);
        float* to = gradWeight + (out * inputs + c) * kKernelValues;
        for (std::size_t k = 0; k < kKernelValues; ++k)
            for (std::size_t lane = 0; lane < kChannelLanes; ++lane) to[lane * kKernelValues + k] = g[k][lane];
    }
}

// Working memory of one call: the arrays `inside`, `outside` and `kernels`, one after the other.
struct WinogradSpace {
    WinogradSpace(Scratchpad& scratchpad, std::size_t chunkTiles, const ConvolutionSpec& s) {
        const std::size_t in = sizeOf(s.inChannels), out = sizeOf(s.outChannels);
        const std::size_t count = kProducts * (chunkTiles * (in + out) + in * out);
        inside = static_cast<float*>(scratchpad.last(count * sizeof(float)));
        if (!inside) throw std::bad_alloc();
        outside = inside + kProducts * chunkTiles * in;
        kernels = outside + kProducts * chunkTiles * out;
    }
    float* inside;   // transformed points of the tiles of x, or of the gradient with respect to x
    float* outside;  // transformed points of the tiles of gradY
    // transformed points of the kernels, or of the gradients of the kernels
    float* kernels;
};

template <class Visit>
void forEachChunk(std::size_t tiles, const Visit& visit) {
    for (std::size_t first = 0; first < tiles; first += kChunk) visit(Chunk{first, std::min(kChunk, tiles - first)});
}

float* floatsOf(const Tensor& tensor) {
    return static_cast<float*>(tensor.data);
}

}  // namespace

bool WinogradGradients::isSuitable(const ConvolutionSpec& s) {
    constexpr std::int64_t kChannels = 32, kSide = 8;
    return s.layout == ImageLayout::kChannelsLast && s.kernel == 3 && s.stride == 1 && s.padding == 1 &&
           std::min(s.inChannels, s.outChannels) >= kChannels && std::min(s.height, s.width) >= kSide &&
           s.inChannels % 8 == 0 && s.outChannels % 8 == 0;
}

void WinogradGradients::backwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                                           const Tensor& gradBias) {
    const TiledImages in(floatsOf(x), x.rows(), m_spec, m_spec.inChannels);
    const TiledImages out(floatsOf(gradY), x.rows(), m_spec, m_spec.outChannels);
    const WinogradSpace space(m_scratchpad, std::min(kChunk, in.tiles), m_spec);
    forEachChunk(in.tiles, [&](const Chunk& chunk) {
        forEachPart(m_threads, chunk.tiles, kTilesPerPart, [&](std::size_t tile, std::size_t end) {
            transformTiles(in, chunk, tile, end, space.inside);
            transformGradients(out, chunk, tile, end, space.outside);
        });
        forEachPart(m_threads, kProducts, 1, [&](std::size_t p, std::size_t) {
            sumOfProducts(space.outside + p * chunk.matrix(out.channels), true,
                          space.inside + p * chunk.matrix(in.channels), space.kernels + p * out.channels * in.channels,
                          {out.channels, in.channels, chunk.tiles}, chunk.first > 0);
        });
    });
    forEachPart(m_threads, out.channels, 4, [&](std::size_t o, std::size_t end) {
        for (; o < end; ++o) writeKernels(space.kernels, o, out.channels, in.channels, floatsOf(gradWeight));
    });
    if (gradBias)
        columnSums(floatsOf(gradY), floatsOf(gradBias), sizeOf(gradY.count()) / out.channels, out.channels, m_threads);
}

void WinogradGradients::backwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) {
    const TiledImages out(floatsOf(gradY), gradX.rows(), m_spec, m_spec.outChannels);
    const TiledImages in(floatsOf(gradX), gradX.rows(), m_spec, m_spec.inChannels);
    const WinogradSpace space(m_scratchpad, std::min(kChunk, in.tiles), m_spec);
    forEachPart(m_threads, out.channels, 4, [&](std::size_t o, std::size_t end) {
        for (; o < end; ++o) transformKernels(floatsOf(weight), o, out.channels, in.channels, space.kernels);
    });
    forEachChunk(in.tiles, [&](const Chunk& chunk) {
        forEachPart(m_threads, chunk.tiles, kTilesPerPart,
                    [&](std::size_t tile, std::size_t end) { transformTiles(out, chunk, tile, end, space.outside); });
        forEachPart(m_threads, kProducts, 1, [&](std::size_t p, std::size_t) {
            sumOfProducts(space.outside + p * chunk.matrix(out.channels), false,
                          space.kernels + p * out.channels * in.channels, space.inside + p * chunk.matrix(in.channels),
                          {chunk.tiles, in.channels, out.channels}, false);
        });
        forEachPart(m_threads, chunk.tiles, kTilesPerPart,
                    [&](std::size_t tile, std::size_t end) { writeTiles(space.inside, chunk, tile, end, in); });
    });
}

}  // namespace ringside::cpu
