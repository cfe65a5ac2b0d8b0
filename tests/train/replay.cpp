// SPDX-License-Identifier: Apache-2.0
#include "train/replay.h"

#include <cstring>
#include <utility>

#include "backend/update_state.h"
#include "base/errors/errors.h"

namespace ringside::test {
namespace {

class Played final : public RecordedWork {
  public:
    explicit Played(std::shared_ptr<Tape> tape) : m_tape(std::move(tape)), m_calls(std::move(m_tape->calls)) {}
    void launch() override {
        ++m_tape->launches;
        for (const auto& call : m_calls) call();
    }

  private:
    std::shared_ptr<Tape> m_tape;
    std::vector<std::function<void()>> m_calls;
};

std::unique_ptr<RecordedWork> record(const std::shared_ptr<Tape>& tape, const std::function<void()>& work) {
    tape->calls.clear();
    tape->recording = true;
    try {
        work();
    } catch (...) {
        tape->recording = false;
        throw;
    }
    tape->recording = false;
    if (tape->breaks) throw DeviceError("the recording broke");
    ++tape->recordings;
    return std::make_unique<Played>(tape);
}

class ReplayConvolution final : public Convolution {
  public:
    ReplayConvolution(std::shared_ptr<Tape> tape, std::shared_ptr<Convolution> inner)
        : m_tape(std::move(tape)), m_inner(std::move(inner)) {}
    void forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) override {
        m_tape->add([=, inner = m_inner] { inner->forward(x, weight, bias, y); });
    }
    void backwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                            const Tensor& gradBias) override {
        m_tape->add([=, inner = m_inner] { inner->backwardParameters(x, gradY, gradWeight, gradBias); });
    }
    void backwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) override {
        m_tape->add([=, inner = m_inner] { inner->backwardInput(gradY, weight, gradX); });
    }

  private:
    std::shared_ptr<Tape> m_tape;
    std::shared_ptr<Convolution> m_inner;
};

// Copies at the last moment that is allowed, so that a batch that is overwritten too early is a wrong one.
class LateUploader final : public Uploader {
  public:
    void start(const void* from, const Tensor& to) override { m_started.emplace_back(from, to); }
    void join() override { copyAll(); }
    void waitForSources() override { copyAll(); }

  private:
    void copyAll() {
        for (const auto& [from, to] : m_started) std::memcpy(to.data, from, to.bytes());
        m_started.clear();
    }
    std::vector<std::pair<const void*, Tensor>> m_started;
};

using T = const Tensor&;
#define RINGSIDE_REPLAYED(name, parameters, arguments)     \
    void name parameters override {                        \
        m_tape->add([=, this] { m_cpu->name arguments; }); \
    }

class ReplayBackend final : public Backend {
  public:
    explicit ReplayBackend(std::shared_ptr<Tape> tape) : m_tape(std::move(tape)) {}

    std::string name() const override { return "replay"; }
    Device device() const override { return {}; }
    Tensor allocate(const Shape& shape, DType type) override { return m_cpu->allocate(shape, type); }
    void upload(const void* from, const Tensor& to) override {
        countHostCopy();
        m_cpu->upload(from, to);
    }
    void download(const Tensor& from, void* to) override {
        countHostCopy();
        m_cpu->download(from, to);
    }
    double squaredNorm(const Tensor& tensor) override {
        countHostCopy();
        return m_cpu->squaredNorm(tensor);
    }
    void synchronize() override {}
    std::optional<RecordingDevice> recordingDevice() override {
        return RecordingDevice{[this](const auto& work) { return record(m_tape, work); },
                               [this] { return m_hostCopies; }};
    }
    std::unique_ptr<Uploader> makeUploader(bool) override {
        return m_tape->uploads ? std::make_unique<LateUploader>() : nullptr;
    }
    std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec) override {
        return std::make_unique<ReplayConvolution>(m_tape, m_cpu->makeConvolution(spec));
    }

    RINGSIDE_REPLAYED(fill, (T tensor, float value), (tensor, value))
    RINGSIDE_REPLAYED(copy, (T from, T to), (from, to))
    RINGSIDE_REPLAYED(scale, (T tensor, float factor), (tensor, factor))
    RINGSIDE_REPLAYED(add, (T from, T to), (from, to))
    RINGSIDE_REPLAYED(countUp, (T counter), (counter))
    RINGSIDE_REPLAYED(linearForward, (T x, T weight, T bias, T y), (x, weight, bias, y))
    RINGSIDE_REPLAYED(linearBackwardParameters, (T x, T gradY, T gradWeight, T gradBias),
                      (x, gradY, gradWeight, gradBias))
    RINGSIDE_REPLAYED(linearBackwardInput, (T gradY, T weight, T gradX), (gradY, weight, gradX))
    RINGSIDE_REPLAYED(reluForward, (T x, T y), (x, y))
    RINGSIDE_REPLAYED(reluBackward, (T y, T gradY, T gradX), (y, gradY, gradX))
    RINGSIDE_REPLAYED(softmaxCrossEntropy, (T logits, T labels, T loss, T correct, T gradient),
                      (logits, labels, loss, correct, gradient))
    RINGSIDE_REPLAYED(meanSquaredError, (T prediction, T target, T loss, T gradient),
                      (prediction, target, loss, gradient))
    RINGSIDE_REPLAYED(scaleLoss, (T gradient, float share, T state), (gradient, share, state))
    RINGSIDE_REPLAYED(decideUpdate, (std::span<const Tensor> gradients, const UpdateRules& rules, T state),
                      (gradients, rules, state))
    RINGSIDE_REPLAYED(sgd, (T parameter, T gradient, T momentum, const SgdRule& rule, T state),
                      (parameter, gradient, momentum, rule, state))
    RINGSIDE_REPLAYED(adam, (T parameter, T gradient, T first, T second, const AdamRule& rule, T state),
                      (parameter, gradient, first, second, rule, state))
    RINGSIDE_REPLAYED(argmax, (T values, T indices), (values, indices))
    RINGSIDE_REPLAYED(transposeSamples, (T x, T y, std::int64_t rows, std::int64_t columns), (x, y, rows, columns))
    RINGSIDE_REPLAYED(batchNormForward, (T x, T weight, T bias, T mean, T variance, T y, T moments),
                      (x, weight, bias, mean, variance, y, moments))
    RINGSIDE_REPLAYED(batchNormEvaluate, (T x, T weight, T bias, T mean, T variance, T y),
                      (x, weight, bias, mean, variance, y))
    RINGSIDE_REPLAYED(batchNormBackwardParameters, (T x, T moments, T gradY, T gradWeight, T gradBias),
                      (x, moments, gradY, gradWeight, gradBias))
    RINGSIDE_REPLAYED(batchNormBackwardInput, (T x, T moments, T weight, T gradWeight, T gradBias, T gradY, T gradX),
                      (x, moments, weight, gradWeight, gradBias, gradY, gradX))
    RINGSIDE_REPLAYED(averagePoolForward, (T x, T y), (x, y))
    RINGSIDE_REPLAYED(averagePoolBackward, (T gradY, T gradX), (gradY, gradX))
    RINGSIDE_REPLAYED(dropout, (T x, T y, T key, double probability), (x, y, key, probability))
    RINGSIDE_REPLAYED(maxPoolForward, (T x, T y, T winners, const MaxPoolSpec& spec), (x, y, winners, spec))
    RINGSIDE_REPLAYED(maxPoolBackward, (T gradY, T winners, T gradX, const MaxPoolSpec& spec),
                      (gradY, winners, gradX, spec))
    RINGSIDE_REPLAYED(geluForward, (T x, T y), (x, y))
    RINGSIDE_REPLAYED(geluBackward, (T x, T gradY, T gradX), (x, gradY, gradX))
    RINGSIDE_REPLAYED(layerNormForward, (T x, T weight, T bias, T y, T moments), (x, weight, bias, y, moments))
    RINGSIDE_REPLAYED(layerNormBackwardParameters, (T x, T moments, T gradY, T gradWeight, T gradBias),
                      (x, moments, gradY, gradWeight, gradBias))
    RINGSIDE_REPLAYED(layerNormBackwardInput, (T x, T moments, T weight, T gradY, T gradX),
                      (x, moments, weight, gradY, gradX))
    RINGSIDE_REPLAYED(embeddingForward, (T tokens, T table, T y), (tokens, table, y))
    RINGSIDE_REPLAYED(embeddingBackward, (T tokens, T gradY, T gradTable), (tokens, gradY, gradTable))
    RINGSIDE_REPLAYED(addPositions, (T x, T table, T y), (x, table, y))
    RINGSIDE_REPLAYED(positionGradient, (T gradY, T gradTable), (gradY, gradTable))
    RINGSIDE_REPLAYED(attentionForward, (T qkv, T kept, T y, const AttentionSpec& spec), (qkv, kept, y, spec))
    RINGSIDE_REPLAYED(attentionBackward, (T qkv, T kept, T gradY, T scratch, T gradQkv, const AttentionSpec& spec),
                      (qkv, kept, gradY, scratch, gradQkv, spec))

  private:
    void countHostCopy() {
        ++m_hostCopies;
        if (m_tape->recording) throw DeviceError("the host cannot be recorded");
    }

    std::shared_ptr<Tape> m_tape;
    std::unique_ptr<Backend> m_cpu = makeCpuBackend(1);
    std::int64_t m_hostCopies = 0;
};

class ReplayCommunicator final : public Communicator {
  public:
    ReplayCommunicator(std::shared_ptr<Tape> tape, Communicator& inner) : m_tape(std::move(tape)), m_inner(inner) {}

    int rank() const override { return m_inner.rank(); }
    int size() const override { return m_inner.size(); }
    std::string name() const override { return m_inner.name(); }
    void allReduce(CommBuffer buffer, ReduceOp op) override {
        m_tape->add([=, this] { m_inner.allReduce(buffer, op); });
        m_recorded += m_tape->recording ? 1 : 0;
    }
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override {
        allReduce(buffer, op);
        return {};
    }
    void broadcast(CommBuffer buffer, int root) override { m_inner.broadcast(buffer, root); }
    void allGather(CommBuffer in, CommBuffer out) override { m_inner.allGather(in, out); }
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override { m_inner.reduceScatter(in, out, op); }
    void send(CommBuffer buffer, int to) override { m_inner.send(buffer, to); }
    void recv(CommBuffer buffer, int from) override { m_inner.recv(buffer, from); }
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override {
        return m_inner.split(colour, key, use);
    }
    CommHandle sendAsync(CommBuffer buffer, int to) override { return m_inner.sendAsync(buffer, to); }
    CommHandle recvAsync(CommBuffer buffer, int from) override { return m_inner.recvAsync(buffer, from); }
    void barrier() override { m_inner.barrier(); }
    void barrierWithoutTimeout() override { m_inner.barrierWithoutTimeout(); }
    void abort() override { m_inner.abort(); }
    std::int64_t collective() const override { return m_inner.collective(); }
    std::span<float> allocate(std::size_t count) override { return m_inner.allocate(count); }

    bool canBeRecorded() const override { return true; }
    void beginRecording() override { m_recorded = 0; }
    std::int64_t endRecording() override { return m_recorded; }

  private:
    std::shared_ptr<Tape> m_tape;
    Communicator& m_inner;
    std::int64_t m_recorded = 0;
};

}  // namespace

std::unique_ptr<Backend> makeReplayBackend(std::shared_ptr<Tape> tape) {
    return std::make_unique<ReplayBackend>(std::move(tape));
}

std::unique_ptr<Communicator> makeReplayCommunicator(std::shared_ptr<Tape> tape, Communicator& inner) {
    return std::make_unique<ReplayCommunicator>(std::move(tape), inner);
}

}  // namespace ringside::test
