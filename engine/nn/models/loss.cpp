// SPDX-License-Identifier: Apache-2.0
#include "nn/models/loss.h"

#include <vector>

#include "backend/backend.h"

namespace ringside {

float meanOfPositions(std::span<const float> values) {
    double sum = 0;
    for (const float value : values) sum += static_cast<double>(value);
    return static_cast<float>(sum / static_cast<double>(values.size()));
}

namespace {

// Results of the loss for one batch: in the device's memory, and a copy in host memory.
struct RowValues {
    RowValues(Backend& backend, std::int64_t maxBatch)
        : device(backend.allocate({maxBatch}, DType::kFloat32)), host(static_cast<std::size_t>(maxBatch)) {}

    std::span<const float> fetch(Backend& backend, std::int64_t rows) {
        if (backend.device().kind == Device::Kind::kCpu) {
            backend.synchronize();
            return device.head(rows).floats();
        }
        backend.download(device.head(rows), host.data());
        return {host.data(), static_cast<std::size_t>(rows)};
    }

    std::size_t slotBytes() const { return device.bytes() + 64; }

    Tensor device;
    std::vector<float> host;
};

// torch.nn.CrossEntropyLoss.
class CrossEntropyLoss final : public Loss {
  public:
    CrossEntropyLoss(std::int64_t classes, std::int64_t maxBatch, std::int64_t positions, Backend& backend)
        : m_backend(backend),
          m_gradient(backend.allocate({maxBatch * positions, classes}, DType::kFloat32)),
          m_loss(backend, maxBatch * positions),
          m_correct(backend, maxBatch * positions),
          m_positions(positions),
          m_means(positions > 1 ? static_cast<std::size_t>(2 * maxBatch) : 0) {}

    std::string name() const override { return "cross_entropy"; }
    bool countsCorrect() const override { return true; }
    Tensor gradient() const override { return m_gradient.head(m_rows); }

    void compute(const Tensor& output, const Batch& batch, bool withGradient) override {
        m_rows = output.rows();
        m_backend.softmaxCrossEntropy(output, batch.labels, m_loss.device, m_correct.device,
                                      withGradient ? gradient() : Tensor{});
    }
    LossRows rows(const Batch& batch) const override {
        return {m_loss.device.head(batch.labels.count()), m_correct.device.head(batch.labels.count())};
    }
    SampleLosses fetch(const Batch& batch) override {
        const auto losses = m_loss.fetch(m_backend, batch.labels.count());
        const auto correct = m_correct.fetch(m_backend, batch.labels.count());
        return samplesOf(losses, correct);
    }
    void store(const Batch& batch, ResultSlot& slot) override {
        slot.add(rows(batch).loss);
        slot.add(rows(batch).correct);
    }
    SampleLosses read(ResultSlot& slot) override {
        const auto losses = slot.nextValues<float>();
        return samplesOf(losses, slot.nextValues<float>());
    }
    std::size_t slotBytes() const override { return m_loss.slotBytes() + m_correct.slotBytes(); }

  private:
    SampleLosses samplesOf(std::span<const float> losses, std::span<const float> correct) {
        if (m_positions == 1) return {losses, correct};
        const std::span<float> means(m_means);
        return {meansOf(losses, means.first(means.size() / 2)), meansOf(correct, means.last(means.size() / 2))};
    }
    // Writes to `means` the mean of `values` over the positions of each sequence, and returns the written means.
    std::span<const float> meansOf(std::span<const float> values, std::span<float> means) const {
        const auto positions = static_cast<std::size_t>(m_positions);
        const std::size_t samples = values.size() / positions;
        for (std::size_t i = 0; i < samples; ++i) means[i] = meanOfPositions(values.subspan(i * positions, positions));
        return means.first(samples);
    }

    Backend& m_backend;
    Tensor m_gradient;
    RowValues m_loss;
    RowValues m_correct;
    std::int64_t m_positions;
    std::vector<float> m_means;  // for each sequence of the batch, the mean of its losses; behind them, for each
                                 // sequence, its share of correct predictions
    std::int64_t m_rows = 0;
};

// torch.nn.MSELoss.
class MeanSquaredErrorLoss final : public Loss {
  public:
    MeanSquaredErrorLoss(std::int64_t targets, std::int64_t maxBatch, Backend& backend)
        : m_backend(backend),
          m_gradient(backend.allocate({maxBatch, targets}, DType::kFloat32)),
          m_loss(backend, maxBatch) {}

    std::string name() const override { return "mse"; }
    bool countsCorrect() const override { return false; }
    Tensor gradient() const override { return m_gradient.head(m_rows); }

    void compute(const Tensor& output, const Batch& batch, bool withGradient) override {
        m_rows = output.rows();
        m_backend.meanSquaredError(output, batch.targets, m_loss.device, withGradient ? gradient() : Tensor{});
    }
    LossRows rows(const Batch& batch) const override { return {m_loss.device.head(batch.targets.rows()), {}}; }
    SampleLosses fetch(const Batch& batch) override { return {m_loss.fetch(m_backend, batch.targets.rows()), {}}; }
    void store(const Batch& batch, ResultSlot& slot) override { slot.add(rows(batch).loss); }
    SampleLosses read(ResultSlot& slot) override { return {slot.nextValues<float>(), {}}; }
    std::size_t slotBytes() const override { return m_loss.slotBytes(); }

  private:
    Backend& m_backend;
    Tensor m_gradient;
    RowValues m_loss;
    std::int64_t m_rows = 0;
};

}  // namespace

Result<std::unique_ptr<Loss>> makeLoss(LossKind kind, std::int64_t classes, std::int64_t targets, std::int64_t maxBatch,
                                       Backend& backend, std::int64_t positions) {
    const MemoryScope scope(backend.memory(), MemoryClass::kActivations);
    const bool classification = classes > 0;
    if (kind == LossKind::kCrossEntropy && !classification)
        return Problem{"training.loss", "is cross_entropy, but the data set has targets and no class labels",
                       "use mse or auto"};
    if (kind == LossKind::kMse && classification)
        return Problem{"training.loss", "is mse, but the data set has class labels and no targets",
                       "use cross_entropy or auto"};
    std::unique_ptr<Loss> loss;
    if (classification)
        loss = std::make_unique<CrossEntropyLoss>(classes, maxBatch, positions, backend);
    else
        loss = std::make_unique<MeanSquaredErrorLoss>(targets, maxBatch, backend);
    return loss;
}

}  // namespace ringside
