// SPDX-License-Identifier: Apache-2.0
// Operations on images and operations of transformers.
#include "backend/cuda/cuda_launches.h"

namespace ringside {

using namespace cuda;

namespace {

PoolSizes sizesOf(const MaxPoolSpec& spec) {
    return {static_cast<std::size_t>(spec.kernel), static_cast<std::size_t>(spec.channels),
            static_cast<std::size_t>(spec.width), static_cast<std::size_t>(spec.height), spec.relu};
}

AttentionSizes sizesOf(const AttentionSpec& spec) {
    return {static_cast<std::size_t>(spec.positions), static_cast<std::size_t>(spec.heads),
            static_cast<std::size_t>(spec.headSize)};
}

// Returns the number of rows of attention weights (shares): one for each sequence, head and position.
std::size_t shareRows(const Tensor& qkv, const AttentionSpec& spec) {
    return rowsOf(qkv) * static_cast<std::size_t>(spec.heads);
}

}  // namespace

std::unique_ptr<Convolution> CudaBackend::makeConvolution(const ConvolutionSpec& spec) {
    if (!m_convolutions) m_convolutions = makeConvolutionMaker(m_device, m_stream.get(), m_options.precision);
    return m_convolutions->make(spec);
}

void CudaBackend::maxPoolForward(const Tensor& x, const Tensor& y, const Tensor& winners, const MaxPoolSpec& spec) {
    values(countOf(y), PooledValue{floats(x), floats(y), static_cast<std::uint8_t*>(winners.data), sizesOf(spec)},
           "max-pooling");
}

void CudaBackend::maxPoolBackward(const Tensor& gradY, const Tensor& winners, const Tensor& gradX,
                                  const MaxPoolSpec& spec) {
    const PoolGradientValue value{floats(gradY), static_cast<const std::uint8_t*>(winners.data), floats(gradX),
                                  sizesOf(spec)};
    values(countOf(gradX), value, "computing max-pooling's gradient");
}

void CudaBackend::averagePoolForward(const Tensor& x, const Tensor& y) {
    const std::size_t channels = channelsOf(x);
    values(countOf(y), AveragedValue{floats(x), floats(y), columnsOf(x) / channels, channels}, "average pooling");
}

void CudaBackend::averagePoolBackward(const Tensor& gradY, const Tensor& gradX) {
    const std::size_t channels = channelsOf(gradX);
    values(countOf(gradX), AverageGradientValue{floats(gradY), floats(gradX), columnsOf(gradX) / channels, channels},
           "computing average pooling's gradient");
}

void CudaBackend::transposeSamples(const Tensor& x, const Tensor& y, std::int64_t rowCount, std::int64_t columnCount) {
    const TransposedValue value{floats(x), floats(y), static_cast<std::size_t>(rowCount),
                                static_cast<std::size_t>(columnCount)};
    values(countOf(y), value, "reordering images");
}

void CudaBackend::geluForward(const Tensor& x, const Tensor& y) {
    values(countOf(x), GeluValue{floats(x), floats(y)}, "computing GELU");
}

void CudaBackend::geluBackward(const Tensor& x, const Tensor& gradY, const Tensor& gradX) {
    values(countOf(x), GeluGradientValue{floats(x), floats(gradY), floats(gradX)}, "computing GELU's gradient");
}

void CudaBackend::layerNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y,
                                   const Tensor& moments) {
    const LayerNormRow row{floats(x), floats(weight), floats(bias), floats(y), floats(moments), columnsOf(x)};
    rows(rowsOf(x), row, "computing layer norm");
}

void CudaBackend::layerNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                              const Tensor& gradWeight, const Tensor& gradBias) {
    const std::size_t width = columnsOf(x);
    const char* doing = "computing layer norm's parameter gradients";
    columns(rowsOf(x), width, LayerNormWeightTerm{floats(x), floats(moments), floats(gradY), width},
            PlainSum{floats(gradWeight)}, doing);
    columns(rowsOf(x), width, PlainTerm{floats(gradY), width}, PlainSum{floats(gradBias)}, doing);
}

void CudaBackend::layerNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight,
                                         const Tensor& gradY, const Tensor& gradX) {
    const LayerNormGradientRow row{floats(x),     floats(moments), floats(weight),
                                   floats(gradY), floats(gradX),   columnsOf(x)};
    rows(rowsOf(x), row, "computing layer norm's gradient");
}

void CudaBackend::batchNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                                   const Tensor& runningVariance, const Tensor& y, const Tensor& moments) {
    const std::size_t channels = channelsOf(x);
    const std::size_t pixels = countOf(x) / channels;
    const auto count = static_cast<double>(pixels);
    const auto momentum = static_cast<float>(kBatchNormMomentum);
    const char* doing = "computing batch norm";
    float* means = floats(moments);
    columns(pixels, channels, PlainTerm{floats(x), channels}, BatchMean{means, floats(runningMean), count, momentum},
            doing);
    columns(pixels, channels, SquaredDistanceTerm{floats(x), means, channels},
            BatchVariance{means + channels, floats(runningVariance), count, momentum}, doing);
    values(countOf(x), BatchNormValue{floats(x), means, floats(weight), floats(bias), floats(y), channels}, doing);
}

void CudaBackend::batchNormEvaluate(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                    const Tensor& runningMean, const Tensor& runningVariance, const Tensor& y) {
    const BatchNormEvaluatedValue value{floats(x),           floats(weight),          floats(bias),
                                        floats(runningMean), floats(runningVariance), floats(y),
                                        channelsOf(x)};
    values(countOf(x), value, "evaluating batch norm");
}

void CudaBackend::batchNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                              const Tensor& gradWeight, const Tensor& gradBias) {
    const std::size_t channels = channelsOf(x);
    const std::size_t pixels = countOf(x) / channels;
    const char* doing = "computing batch norm's parameter gradients";
    columns(pixels, channels, BatchNormWeightTerm{floats(x), floats(moments), floats(gradY), channels},
            PlainSum{floats(gradWeight)}, doing);
    columns(pixels, channels, PlainTerm{floats(gradY), channels}, PlainSum{floats(gradBias)}, doing);
}

void CudaBackend::batchNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight,
                                         const Tensor& gradWeight, const Tensor& gradBias, const Tensor& gradY,
                                         const Tensor& gradX) {
    const std::size_t channels = channelsOf(x);
    const std::size_t rows = countOf(x) / channels;
    const auto perRow = static_cast<float>(1.0 / static_cast<double>(rows));
    const BatchNormGradientValue value{floats(x),          floats(moments),  floats(weight),
                                       floats(gradWeight), floats(gradBias), floats(gradY),
                                       floats(gradX),      channels,         perRow};
    values(countOf(x), value, "computing batch norm's gradient");
}

void CudaBackend::dropout(const Tensor& x, const Tensor& y, const Tensor& key, double probability) {
    const DroppedValue value{floats(x), floats(y), static_cast<const std::int64_t*>(key.data),
                             dropoutThreshold(probability), static_cast<float>(1 / (1 - probability))};
    values(countOf(x), value, "dropping values");
}

void CudaBackend::embeddingForward(const Tensor& tokens, const Tensor& table, const Tensor& y) {
    values(countOf(y), EmbeddedValue{floats(tokens), floats(table), floats(y), columnsOf(table)},
           "looking up embeddings");
}

void CudaBackend::embeddingBackward(const Tensor& tokens, const Tensor& gradY, const Tensor& gradTable) {
    const EmbeddingGradientRow row{floats(tokens), floats(gradY), floats(gradTable), countOf(tokens),
                                   columnsOf(gradTable)};
    rows(rowsOf(gradTable), row, "adding up embedding gradients");
}

void CudaBackend::addPositions(const Tensor& x, const Tensor& table, const Tensor& y) {
    values(countOf(x), PositionedValue{floats(x), floats(table), floats(y), countOf(table)}, "adding positions");
}

void CudaBackend::positionGradient(const Tensor& gradY, const Tensor& gradTable) {
    const std::size_t perSequence = countOf(gradTable);
    const PositionGradientValue value{floats(gradY), floats(gradTable), perSequence, countOf(gradY) / perSequence};
    values(perSequence, value, "adding up position gradients");
}

void CudaBackend::attentionForward(const Tensor& qkv, const Tensor& shares, const Tensor& y,
                                   const AttentionSpec& spec) {
    rows(shareRows(qkv, spec), AttentionShareRow{floats(qkv), floats(shares), sizesOf(spec)}, "computing attention");
    values(countOf(y), AttendedValue{floats(qkv), floats(shares), floats(y), sizesOf(spec)}, "computing attention");
}

void CudaBackend::attentionBackward(const Tensor& qkv, const Tensor& shares, const Tensor& gradY, const Tensor& scratch,
                                    const Tensor& gradQkv, const AttentionSpec& spec) {
    const char* doing = "computing attention's gradient";
    const AttentionScoreGradientRow row{floats(qkv), floats(shares), floats(gradY), floats(scratch), sizesOf(spec)};
    rows(shareRows(qkv, spec), row, doing);
    const AttentionGradientValue value{floats(qkv),   floats(shares),  floats(scratch),
                                       floats(gradY), floats(gradQkv), sizesOf(spec)};
    values(countOf(gradQkv), value, doing);
}

}  // namespace ringside
