// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution/onednn_weight_gradient.h"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <new>
#include <optional>

#include "backend/cpu/convolution/pass_plans.h"
#include "backend/cpu/support/parts.h"

namespace ringside::cpu {

namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Sets OpenMP's number of threads while this object exists.
class ThreadCount {
  public:
    explicit ThreadCount(int count) : m_before(omp_get_max_threads()) { omp_set_num_threads(count); }
    ~ThreadCount() { omp_set_num_threads(m_before); }
    ThreadCount(const ThreadCount&) = delete;
    ThreadCount& operator=(const ThreadCount&) = delete;

  private:
    int m_before;
};

// Adds `number` arrays of `count` values, which lie `stride` values apart, to `sum` in their order.
void addUp(const float* parts, std::size_t stride, std::size_t number, float* sum, std::size_t count, int threads) {
    forEachPart(threads, count, kValuesPerPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t part = 0; part < number; ++part)
            for (std::size_t i = first; i < last; ++i) sum[i] += parts[part * stride + i];
    });
}

std::size_t biasBytes(const ConvolutionSpec& spec) {
    return spec.bias ? static_cast<std::size_t>(spec.outChannels) * sizeof(float) : 0;
}

}  // namespace

std::int64_t gradientPieces(const ConvolutionSpec& s, std::int64_t batch, bool winograd) {
    constexpr std::uint64_t kMax = 16;
    // Minimum work of a piece of the batch, in multiplications: about a millisecond of computing. With Winograd's
    // algorithm the minimum is larger, because the weights are transformed once for each piece.
    const double minWork = winograd ? 32e6 : 8e6;
    constexpr double kValues = 16.0 * (1 << 20);  // limit of the number of values in the weight gradients of all pieces
                                                  // together
    const double weights = static_cast<double>(s.outChannels * s.inChannels * s.kernel * s.kernel);
    const double work = weights * static_cast<double>(batch * s.outHeight() * s.outWidth());
    const auto pieces = static_cast<std::uint64_t>(std::max(1.0, std::min(work / minWork, kValues / weights)));
    // The number of pieces is rounded down to a power of two, so that two and four threads get equal numbers of pieces.
    return static_cast<std::int64_t>(
        std::bit_floor(std::min({pieces, static_cast<std::uint64_t>(std::max<std::int64_t>(batch, 1)), kMax})));
}

OneDnnWeightGradient::OneDnnWeightGradient(const ConvolutionSpec& spec, std::int64_t batch, bool winograd, int threads,
                                           const dnnl::engine& engine, Scratchpad& scratchpad)
    : m_spec(spec), m_threads(threads), m_scratchpad(scratchpad) {
    const ThreadCount one(1);
    cut(gradientPieces(spec, batch, winograd), batch, winograd, engine);
    // oneDNN may choose different memory layouts for pieces of different sizes. In this case the batch is not divided,
    // because the gradients of the pieces could not be added.
    const bool alike =
        std::ranges::all_of(m_pieces, [&](const Piece& piece) { return piece.weight.get_desc() == m_order; });
    if (!alike) cut(1, batch, winograd, engine);
}

void OneDnnWeightGradient::cut(std::int64_t pieces, std::int64_t batch, bool winograd, const dnnl::engine& engine) {
    m_pieces.clear();
    std::optional<Plans> plans;
    dnnl::primitive primitive;
    std::int64_t planned = 0;
    for (std::int64_t i = 0; i < pieces; ++i) {
        const std::int64_t first = batch * i / pieces, images = batch * (i + 1) / pieces - first;
        if (images != planned) {
            plans.emplace(engine, m_spec, images, winograd);
            primitive = dnnl::convolution_backward_weights(plans->weights);
            planned = images;
        }
        if (i == 0) m_order = plans->weights.diff_weights_desc();
        const auto later = [&](const dnnl::memory::desc& description) {
            return dnnl::memory(description, engine, DNNL_MEMORY_NONE);
        };
        const dnnl::memory::desc scratch = plans->weights.scratchpad_desc();
        Piece& piece = m_pieces.emplace_back(Piece{first,
                                                   scratch.get_size(),
                                                   primitive,
                                                   dnnl::stream(engine),
                                                   later(plans->shapes.x),
                                                   later(plans->shapes.y),
                                                   later(plans->weights.diff_weights_desc()),
                                                   m_spec.bias ? later(plans->shapes.bias) : dnnl::memory(),
                                                   later(scratch),
                                                   {}});
        piece.arguments = {{DNNL_ARG_SRC, piece.x.get()},
                           {DNNL_ARG_DIFF_DST, piece.y.get()},
                           {DNNL_ARG_DIFF_WEIGHTS, piece.weight.get()}};
        if (m_spec.bias) piece.arguments.push_back({DNNL_ARG_DIFF_BIAS, piece.bias.get()});
        if (piece.scratchBytes > 0) piece.arguments.push_back({DNNL_ARG_SCRATCHPAD, piece.scratch.get()});
    }
}

void OneDnnWeightGradient::run(Piece& piece, float* x, float* gradY, void* scratch) const {
    // The batch is the first dimension in every memory layout, so a piece of it is contiguous.
    piece.x.set_data_handle(x + piece.first * m_spec.inChannels * m_spec.height * m_spec.width);
    piece.y.set_data_handle(gradY + piece.first * m_spec.outChannels * m_spec.outHeight() * m_spec.outWidth());
    if (piece.scratchBytes > 0) piece.scratch.set_data_handle(scratch);
    piece.status = dnnl_primitive_execute(piece.primitive.get(), piece.stream.get(),
                                          static_cast<int>(piece.arguments.size()), piece.arguments.data());
}

void OneDnnWeightGradient::run(float* x, float* gradY, float* gradWeight, float* gradBias) {
    const std::size_t others = m_pieces.size() - 1;
    const int threads = std::min(m_threads, static_cast<int>(m_pieces.size()));
    const std::size_t weightStride = aligned(m_order.get_size()), biasStride = aligned(biasBytes(m_spec));
    std::size_t scratchStride = 0;
    for (const Piece& piece : m_pieces) scratchStride = std::max(scratchStride, aligned(piece.scratchBytes));
    const std::size_t bytes = others * (weightStride + biasStride) + static_cast<std::size_t>(threads) * scratchStride;
    auto* const parts = static_cast<char*>(bytes > 0 ? m_scratchpad.last(bytes) : nullptr);
    if (bytes > 0 && !parts) throw std::bad_alloc();
    char* const biases = parts + others * weightStride;
    char* const scratch = biases + others * biasStride;
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        m_pieces[i].weight.set_data_handle(i == 0 ? static_cast<void*>(gradWeight) : parts + (i - 1) * weightStride);
        if (m_spec.bias)
            m_pieces[i].bias.set_data_handle(i == 0 ? static_cast<void*>(gradBias) : biases + (i - 1) * biasStride);
    }
    {
        const ThreadCount one(1);  // the primitives run with the one thread for which they were made
        forEach(threads, m_pieces.size(), [&](std::size_t i) {
            const std::size_t thread = threads > 1 ? static_cast<std::size_t>(omp_get_thread_num()) : 0;
            run(m_pieces[i], x, gradY, scratch + thread * scratchStride);
        });
    }
    for (const Piece& piece : m_pieces) dnnl::error::wrap_c_api(piece.status, "oneDNN could not run the primitive");
    if (others == 0) return;
    addUp(reinterpret_cast<const float*>(parts), weightStride / sizeof(float), others, gradWeight,
          m_order.get_size() / sizeof(float), m_threads);
    if (m_spec.bias)
        addUp(reinterpret_cast<const float*>(biases), biasStride / sizeof(float), others, gradBias,
              static_cast<std::size_t>(m_spec.outChannels), 1);
}

}  // namespace ringside::cpu
