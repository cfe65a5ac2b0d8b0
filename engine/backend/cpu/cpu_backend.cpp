// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/cpu_backend.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "backend/cpu/convolution/onednn_convolution.h"
#include "backend/cpu/kernels/adam.h"
#include "backend/cpu/kernels/attention.h"
#include "backend/cpu/kernels/elementwise.h"
#include "backend/cpu/kernels/images.h"
#include "backend/cpu/kernels/losses.h"
#include "backend/cpu/kernels/matrix_product.h"
#include "backend/cpu/kernels/normalisation.h"
#include "backend/cpu/kernels/sequences.h"
#include "backend/cpu/support/instruction_set.h"
#include "backend/update_state.h"
#include "base/errors/errors.h"
#include "base/processors/processors.h"

namespace ringside {

namespace {

float* floats(const Tensor& tensor) {
    return static_cast<float*>(tensor.data);
}

std::size_t rowsOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.shape[0]);
}

std::size_t columnsOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.shape.countPerRow());
}

std::size_t countOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.count());
}

// Returns the host's physical memory in bytes, which all tensors together must not exceed. Linux would grant more
// memory, but kill the process as soon as the process uses more than the physical memory.
std::size_t physicalMemory() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Returns the number of channels whose values lie next to each other in memory: all channels of a pixel, or the
// channels of one block.
std::size_t channelsTogether(const Tensor& images) {
    return static_cast<std::size_t>(images.shape[images.shape.dimensions() - 1]);
}

// Returns the sizes for pooling one block of channels, which is pooled like an image with kChannelBlock channels.
MaxPoolSpec perBlock(MaxPoolSpec spec) {
    if (spec.layout == ImageLayout::kChannelBlocks) spec.channels = kChannelBlock;
    return spec;
}

std::size_t imagesIn(const Tensor& x, const MaxPoolSpec& spec) {
    return countOf(x) / static_cast<std::size_t>(spec.height * spec.width * spec.channels);
}

UpdateState& updateStateIn(const Tensor& tensor) {
    return *static_cast<UpdateState*>(tensor.data);
}

}  // namespace

CpuBackend::CpuBackend(int threads, bool winograd, HostMemory& memory)
    : m_threads(std::max(1, threads)),
      m_winograd(winograd),
      m_batchNorm(m_threads),
      m_hostMemory(memory),
      m_scratchpad(memory) {}

std::string CpuBackend::name() const {
    return m_threads == 1 ? "CPU (1 thread)" : "CPU (" + std::to_string(m_threads) + " threads)";
}

std::string CpuBackend::instructionSet() const {
    return cpu::instructionSet();
}

std::unique_ptr<Backend> CpuBackend::makePeer(int, int devices) {
    return makeCpuBackend(threadsPerRank(devices), m_winograd, m_hostMemory);
}

Tensor CpuBackend::allocate(const Shape& shape, DType type) {
    Tensor tensor{nullptr, shape, type, device()};
    const std::size_t bytes = tensor.bytes();
    memory().add(bytes);
    HostBlock block;
    if (bytes <= physicalMemory() - std::min(physicalMemory(), m_allocated)) block = HostBlock(m_hostMemory, bytes);
    tensor.data = block.data();
    if (!tensor.data)
        throw DeviceError("out of memory: " + std::to_string(bytes >> 20) + " MiB for a tensor of shape " +
                          shape.text() + " do not fit in addition to the " + std::to_string(m_allocated >> 20) +
                          " MiB in use: lower loader.batch_size or choose a smaller model");
    m_allocated += bytes;
    std::memset(tensor.data, 0, bytes);
    m_memory.push_back(std::move(block));
    return tensor;
}

void CpuBackend::upload(const void* from, const Tensor& to) {
    std::memcpy(to.data, from, to.bytes());
}

void CpuBackend::download(const Tensor& from, void* to) {
    std::memcpy(to, from.data, from.bytes());
}

void CpuBackend::fill(const Tensor& tensor, float value) {
    std::fill_n(floats(tensor), countOf(tensor), value);
}

void CpuBackend::copy(const Tensor& from, const Tensor& to) {
    std::memcpy(to.data, from.data, from.bytes());
}

void CpuBackend::scale(const Tensor& tensor, float factor) {
    cpu::scale(floats(tensor), countOf(tensor), factor, m_threads);
}

double CpuBackend::squaredNorm(const Tensor& tensor) {
    return cpu::squaredNorm(floats(tensor), countOf(tensor));
}

void CpuBackend::squaresOfRows(const Tensor& tensor, std::span<double> squares) {
    if (squares.empty()) return;
    RINGSIDE_ASSERT(countOf(tensor) % squares.size() == 0);
    cpu::squaresOfRows(floats(tensor), squares.size(), countOf(tensor) / squares.size(), squares.data());
}

void CpuBackend::add(const Tensor& from, const Tensor& to) {
    cpu::add(floats(from), floats(to), countOf(to), m_threads);
}

void CpuBackend::linearForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) {
    cpu::productWithTransposed(floats(x), floats(weight), floats(bias), floats(y),
                               {rowsOf(x), rowsOf(weight), columnsOf(x)}, m_threads);
}

void CpuBackend::linearBackwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                                          const Tensor& gradBias) {
    cpu::columnSums(floats(gradY), floats(gradBias), rowsOf(gradY), columnsOf(gradY), m_threads);
    cpu::productOfTransposed(floats(gradY), floats(x), floats(gradWeight), {columnsOf(gradY), columnsOf(x), rowsOf(x)},
                             m_threads);
}

void CpuBackend::linearBackwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) {
    cpu::product(floats(gradY), floats(weight), floats(gradX), {rowsOf(gradY), columnsOf(weight), rowsOf(weight)},
                 m_threads);
}

void CpuBackend::reluForward(const Tensor& x, const Tensor& y) {
    cpu::relu(floats(x), floats(y), countOf(x), m_threads);
}

void CpuBackend::reluBackward(const Tensor& y, const Tensor& gradY, const Tensor& gradX) {
    cpu::reluGradient(floats(y), floats(gradY), floats(gradX), countOf(y), m_threads);
}

void CpuBackend::softmaxCrossEntropy(const Tensor& logits, const Tensor& labels, const Tensor& rowLoss,
                                     const Tensor& rowCorrect, const Tensor& gradient) {
    float* scratch = floats(gradient);
    if (!gradient) {
        m_lossScratch.resize(std::max(m_lossScratch.size(), countOf(logits)));
        scratch = m_lossScratch.data();
    }
    cpu::softmaxCrossEntropy(floats(logits), static_cast<const std::int64_t*>(labels.data), rowsOf(logits),
                             columnsOf(logits), floats(rowLoss), floats(rowCorrect), scratch, floats(gradient));
}

void CpuBackend::meanSquaredError(const Tensor& prediction, const Tensor& target, const Tensor& rowLoss,
                                  const Tensor& gradient) {
    cpu::meanSquaredError(floats(prediction), floats(target), rowsOf(prediction), columnsOf(prediction),
                          floats(rowLoss), floats(gradient));
}

void CpuBackend::argmax(const Tensor& values, const Tensor& indices) {
    cpu::argmax(floats(values), rowsOf(values), columnsOf(values), static_cast<std::int64_t*>(indices.data));
}

void CpuBackend::scaleLoss(const Tensor& gradient, float share, const Tensor& state) {
    const float factor = share * static_cast<float>(updateStateIn(state).lossScale);
    if (factor != 1) scale(gradient, factor);
}

void CpuBackend::decideUpdate(std::span<const Tensor> gradients, const UpdateRules& rules, const Tensor& state) {
    double squares = 0;
    if (rules.measuresNorm())
        for (const Tensor& gradient : gradients) squares += squareOfNorm(squaredNormByRows(*this, gradient));
    ringside::decideUpdate(updateStateIn(state), rules, squares);
}

void CpuBackend::sgd(const Tensor& parameter, const Tensor& gradient, const Tensor& momentum, const SgdRule& rule,
                     const Tensor& state) {
    const UpdateState& now = updateStateIn(state);
    if (now.skipped) return;
    if (now.factor != 1) scale(gradient, now.factor);
    cpu::sgd(floats(parameter), floats(gradient), floats(momentum), countOf(parameter), rule, now, m_threads);
}

void CpuBackend::adam(const Tensor& parameter, const Tensor& gradient, const Tensor& firstMoment,
                      const Tensor& secondMoment, const AdamRule& rule, const Tensor& state) {
    const UpdateState& now = updateStateIn(state);
    if (now.skipped) return;
    if (now.factor != 1) scale(gradient, now.factor);
    cpu::adam(floats(parameter), floats(gradient), floats(firstMoment), floats(secondMoment), countOf(parameter), rule,
              now, m_threads);
}

bool CpuBackend::prefersChannelBlocks(std::span<const ConvolutionSpec> convolutions) const {
    return cpu::prefersChannelBlocks(convolutions, m_threads);
}

std::unique_ptr<Convolution> CpuBackend::makeConvolution(const ConvolutionSpec& spec) {
    return cpu::makeConvolution(spec, m_threads, m_winograd, m_scratchpad);
}

void CpuBackend::maxPoolForward(const Tensor& x, const Tensor& y, const Tensor& winners, const MaxPoolSpec& spec) {
    const MaxPoolSpec part = perBlock(spec);
    cpu::maxPool(floats(x), floats(y), static_cast<std::uint8_t*>(winners.data), imagesIn(x, part), part, m_threads);
}

void CpuBackend::maxPoolBackward(const Tensor& gradY, const Tensor& winners, const Tensor& gradX,
                                 const MaxPoolSpec& spec) {
    const MaxPoolSpec part = perBlock(spec);
    cpu::maxPoolGradient(floats(gradY), static_cast<const std::uint8_t*>(winners.data), floats(gradX),
                         imagesIn(gradX, part), part, m_threads);
}

void CpuBackend::transposeSamples(const Tensor& x, const Tensor& y, std::int64_t rows, std::int64_t columns) {
    const auto height = static_cast<std::size_t>(rows);
    const auto width = static_cast<std::size_t>(columns);
    cpu::transposeSamples(floats(x), floats(y), countOf(x) / (height * width), height, width, m_threads);
}

void CpuBackend::geluForward(const Tensor& x, const Tensor& y) {
    cpu::gelu(floats(x), floats(y), countOf(x), m_threads);
}

void CpuBackend::geluBackward(const Tensor& x, const Tensor& gradY, const Tensor& gradX) {
    cpu::geluGradient(floats(x), floats(gradY), floats(gradX), countOf(x), m_threads);
}

void CpuBackend::layerNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y,
                                  const Tensor& moments) {
    cpu::layerNorm({floats(x), floats(weight), rowsOf(x), columnsOf(x)}, floats(bias), floats(y), floats(moments),
                   m_threads);
}

void CpuBackend::layerNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                             const Tensor& gradWeight, const Tensor& gradBias) {
    cpu::layerNormParameterGradients({floats(x), nullptr, rowsOf(x), columnsOf(x)}, floats(moments), floats(gradY),
                                     floats(gradWeight), floats(gradBias), m_threads);
}

void CpuBackend::layerNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight,
                                        const Tensor& gradY, const Tensor& gradX) {
    cpu::layerNormInputGradient({floats(x), floats(weight), rowsOf(x), columnsOf(x)}, floats(moments), floats(gradY),
                                floats(gradX), m_threads);
}

void CpuBackend::batchNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                                  const Tensor& runningVariance, const Tensor& y, const Tensor& moments) {
    m_batchNorm.forward(x, weight, bias, runningMean, runningVariance, y, moments);
}

void CpuBackend::batchNormEvaluate(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                                   const Tensor& runningVariance, const Tensor& y) {
    m_batchNorm.evaluate(x, weight, bias, runningMean, runningVariance, y);
}

void CpuBackend::batchNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                             const Tensor& gradWeight, const Tensor& gradBias) {
    m_batchNorm.backwardParameters(x, moments, gradY, gradWeight, gradBias);
}

void CpuBackend::batchNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight,
                                        const Tensor& gradWeight, const Tensor& gradBias, const Tensor& gradY,
                                        const Tensor& gradX) {
    m_batchNorm.backwardInput(x, moments, weight, gradWeight, gradBias, gradY, gradX);
}

void CpuBackend::averagePoolForward(const Tensor& x, const Tensor& y) {
    const std::size_t channels = channelsTogether(x);
    cpu::averagePool(floats(x), floats(y), countOf(y) / channels, countOf(x) / countOf(y), channels, m_threads);
}

void CpuBackend::averagePoolBackward(const Tensor& gradY, const Tensor& gradX) {
    const std::size_t channels = channelsTogether(gradX);
    cpu::averagePoolGradient(floats(gradY), floats(gradX), countOf(gradY) / channels, countOf(gradX) / countOf(gradY),
                             channels, m_threads);
}

void CpuBackend::dropout(const Tensor& x, const Tensor& y, const Tensor& key, double probability) {
    const auto bits = static_cast<std::uint64_t>(*static_cast<const std::int64_t*>(key.data));
    cpu::dropout(floats(x), floats(y), countOf(x), bits, probability, m_threads);
}

void CpuBackend::embeddingForward(const Tensor& tokens, const Tensor& table, const Tensor& y) {
    cpu::embedding(floats(tokens), countOf(tokens), floats(table), rowsOf(table), columnsOf(table), floats(y));
}

void CpuBackend::embeddingBackward(const Tensor& tokens, const Tensor& gradY, const Tensor& gradTable) {
    cpu::embeddingGradient(floats(tokens), countOf(tokens), floats(gradY), floats(gradTable), rowsOf(gradTable),
                           columnsOf(gradTable), m_threads);
}

void CpuBackend::addPositions(const Tensor& x, const Tensor& table, const Tensor& y) {
    cpu::addRow(floats(x), floats(table), floats(y), countOf(x) / countOf(table), countOf(table), m_threads);
}

void CpuBackend::positionGradient(const Tensor& gradY, const Tensor& gradTable) {
    cpu::columnSums(floats(gradY), floats(gradTable), countOf(gradY) / countOf(gradTable), countOf(gradTable),
                    m_threads);
}

AttentionMemory CpuBackend::attentionMemory(const AttentionSpec& spec) const {
    return {spec.heads * spec.positions, 0};
}

void CpuBackend::attentionForward(const Tensor& qkv, const Tensor& kept, const Tensor& y, const AttentionSpec& spec) {
    cpu::attention(floats(qkv), floats(kept), floats(y), rowsOf(kept), spec, m_threads);
}

void CpuBackend::attentionBackward(const Tensor& qkv, const Tensor& kept, const Tensor& gradY, const Tensor&,
                                   const Tensor& gradQkv, const AttentionSpec& spec) {
    cpu::attentionGradient(floats(qkv), floats(kept), floats(gradY), floats(gradQkv), rowsOf(kept), spec, m_threads);
}

std::unique_ptr<Backend> makeCpuBackend(int threads, bool winograd) {
    return makeCpuBackend(threads, winograd, plainHostMemory());
}

std::unique_ptr<Backend> makeCpuBackend(int threads, bool winograd, HostMemory& memory) {
    return std::make_unique<CpuBackend>(threads, winograd, memory);
}

int threadsPerRank(int ranksOnHost) {
    return std::max(1, usableProcessors() / std::max(1, ranksOnHost));
}

}  // namespace ringside
