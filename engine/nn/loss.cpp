// SPDX-License-Identifier: Apache-2.0
#include "nn/loss.h"

#include <vector>

#include "backend/backend.h"

namespace ringside {

namespace {

// Device results of one batch, and the host's copy of them.
struct RowValues {
    RowValues(Backend& backend, std::int64_t maxBatch)
        : device(backend.allocate({maxBatch}, DType::kFloat32)), host(static_cast<std::size_t>(maxBatch)) {}

    std::span<const float> fetch(Backend& backend, std::int64_t rows) {
        if (backend.device().kind == Device::Kind::kCpu) return device.head(rows).floats();
        backend.download(device.head(rows), host.data());
        return {host.data(), static_cast<std::size_t>(rows)};
    }

    Tensor device;
    std::vector<float> host;
};

class CrossEntropyLoss final : public Loss {
  public:
    CrossEntropyLoss(std::int64_t classes, std::int64_t maxBatch, Backend& backend)
        : m_backend(backend),
          m_gradient(backend.allocate({maxBatch, classes}, DType::kFloat32)),
          m_loss(backend, maxBatch),
          m_correct(backend, maxBatch) {}

    std::string name() const override { return "cross_entropy"; }
    bool countsCorrect() const override { return true; }
    Tensor gradient() const override { return m_gradient.head(m_rows); }

    SampleLosses evaluate(const Tensor& output, const Batch& batch, bool withGradient) override {
        m_rows = output.rows();
        m_backend.softmaxCrossEntropy(output, batch.labels, m_loss.device, m_correct.device,
                                      withGradient ? gradient() : Tensor{});
        return {m_loss.fetch(m_backend, m_rows), m_correct.fetch(m_backend, m_rows)};
    }

  private:
    Backend& m_backend;
    Tensor m_gradient;
    RowValues m_loss;
    RowValues m_correct;
    std::int64_t m_rows = 0;
};

class MeanSquaredErrorLoss final : public Loss {
  public:
    MeanSquaredErrorLoss(std::int64_t targets, std::int64_t maxBatch, Backend& backend)
        : m_backend(backend),
          m_gradient(backend.allocate({maxBatch, targets}, DType::kFloat32)),
          m_loss(backend, maxBatch) {}

    std::string name() const override { return "mse"; }
    bool countsCorrect() const override { return false; }
    Tensor gradient() const override { return m_gradient.head(m_rows); }

    SampleLosses evaluate(const Tensor& output, const Batch& batch, bool withGradient) override {
        m_rows = output.rows();
        m_backend.meanSquaredError(output, batch.targets, m_loss.device, withGradient ? gradient() : Tensor{});
        return {m_loss.fetch(m_backend, m_rows), {}};
    }

  private:
    Backend& m_backend;
    Tensor m_gradient;
    RowValues m_loss;
    std::int64_t m_rows = 0;
};

}  // namespace

Result<std::unique_ptr<Loss>> makeLoss(const std::string& kind, std::int64_t classes, std::int64_t targets,
                                       std::int64_t maxBatch, Backend& backend) {
    const bool classification = classes > 0;
    if (kind == "cross_entropy" && !classification)
        return Problem{"training.loss", "is cross_entropy, but the data set has targets and no class labels",
                       "use mse or auto"};
    if (kind == "mse" && classification)
        return Problem{"training.loss", "is mse, but the data set has class labels and no targets",
                       "use cross_entropy or auto"};
    std::unique_ptr<Loss> loss;
    if (classification)
        loss = std::make_unique<CrossEntropyLoss>(classes, maxBatch, backend);
    else
        loss = std::make_unique<MeanSquaredErrorLoss>(targets, maxBatch, backend);
    return loss;
}

}  // namespace ringside
