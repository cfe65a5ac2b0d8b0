// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/batch_norm2d.h"

#include "backend/backend.h"

namespace ringside {

BatchNorm2d::BatchNorm2d(std::int64_t channels, const std::string& prefix, ImageLayout layout)
    : m_layout(layout),
      m_weight{prefix + "weight", {channels}, {}, {}},
      m_bias{prefix + "bias", {channels}, {}, {}},
      m_runningMean{prefix + "running_mean", {channels}, {}, {}},
      m_runningVariance{prefix + "running_var", {channels}, {}, {}},
      m_batches{prefix + "num_batches_tracked", {}, {}, {}, DType::kInt64} {}

void BatchNorm2d::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    m_y = memory.allocate(batchShape(input, maxBatch, m_layout), DType::kFloat32);
    m_moments = memory.allocate({2, input[0]}, DType::kFloat32);
    m_unused = memory.allocateScratch({2, input[0]}, DType::kFloat32);
    m_gradWeight = memory.allocateScratch({input[0]}, DType::kFloat32);
    m_gradBias = memory.allocateScratch({input[0]}, DType::kFloat32);
    m_gradX = memory.allocateScratch(batchShape(input, maxBatch, m_layout), DType::kFloat32);
}

void BatchNorm2d::initialise(TorchGenerator&, Backend& backend) {
    backend.fill(m_weight.value, 1);
    backend.fill(m_bias.value, 0);
    backend.fill(m_runningMean.value, 0);
    backend.fill(m_runningVariance.value, 1);
    const std::int64_t none = 0;
    backend.upload(&none, m_batches.value);
}

Tensor BatchNorm2d::asImages(const Tensor& x) const {
    Tensor images = m_y.head(x.rows());
    images.data = x.data;
    return images;
}

Tensor BatchNorm2d::forward(const Tensor& x) {
    m_x = asImages(x);
    const Tensor y = m_y.head(x.rows());
    if (!m_training) {
        m_backend->batchNormEvaluate(m_x, m_weight.value, m_bias.value, m_runningMean.value, m_runningVariance.value,
                                     y);
        return y;
    }
    if (x.count() == m_weight.shape[0])
        throw Error("BatchNorm2d(" + std::to_string(m_weight.shape[0]) +
                        ") expects more than 1 value per channel when training, but the batch has one sample of one "
                        "pixel: switch loader.drop_last on or use larger images",
                    ExitCode::kBadConfiguration);
    if (!m_again) m_backend->countUp(m_batches.value);
    const Tensor mean = m_again ? m_unused.row(0) : m_runningMean.value;
    const Tensor variance = m_again ? m_unused.row(1) : m_runningVariance.value;
    m_backend->batchNormForward(m_x, m_weight.value, m_bias.value, mean, variance, y, m_moments);
    return y;
}

void BatchNorm2d::backwardParameters(const Tensor& gradY) {
    m_backend->batchNormBackwardParameters(m_x, m_moments, gradY, m_gradWeight, m_gradBias);
    m_backend->copy(m_gradWeight, m_weight.gradient);
    m_backend->copy(m_gradBias, m_bias.gradient);
}

Tensor BatchNorm2d::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_gradX.head(gradY.rows());
    m_backend->batchNormBackwardInput(m_x, m_moments, m_weight.value, m_gradWeight, m_gradBias, gradY, gradX);
    return gradX;
}

}  // namespace ringside
