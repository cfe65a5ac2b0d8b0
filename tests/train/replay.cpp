// SPDX-License-Identifier: Apache-2.0
#include "train/replay.h"

#include <cstring>
#include <utility>

#include "backend/cuda/device/pinned_slot.h"
#include "backend/update_state.h"
#include "base/errors/errors.h"

namespace ringside::test {
namespace {

class Played final : public RecordedWork {
  public:
    explicit Played(std::shared_ptr<Tape> tape) : m_tape(std::move(tape)), m_calls(std::move(m_tape->calls)) {}
    void launch() override {
        ++m_tape->launches;
        for (const auto& call : m_calls) m_tape->add(call);
    }

  private:
    std::shared_ptr<Tape> m_tape;
    std::vector<std::function<void()>> m_calls;
};

// Work that a fake GPU has recorded, including calls of the fake NCCL.
class LaunchedGraph final : public RecordedWork {
  public:
    LaunchedGraph(std::shared_ptr<Tape> tape, testing::FakeDevice::Graph graph)
        : m_tape(std::move(tape)), m_graph(std::move(graph)) {}
    void launch() override {
        ++m_tape->launches;
        testing::FakeDevice::launch(m_graph);
    }

  private:
    std::shared_ptr<Tape> m_tape;
    testing::FakeDevice::Graph m_graph;
};

std::unique_ptr<RecordedWork> record(const std::shared_ptr<Tape>& tape, const std::function<void()>& work) {
    tape->calls.clear();
    tape->recording = true;
    testing::FakeDevice::Graph graph;
    try {
        if (tape->gpu)
            graph = tape->gpu->recorded(work);
        else
            work();
    } catch (...) {
        tape->recording = false;
        throw;
    }
    tape->recording = false;
    if (tape->breaks) throw DeviceError("the recording broke");
    ++tape->recordings;
    if (tape->gpu) return std::make_unique<LaunchedGraph>(tape, std::move(graph));
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

// Copies a batch at the latest moment that is allowed. If the batch is overwritten too early, the copy is wrong and the
// test fails.
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

class ReplayReductionKernels final : public ReductionKernels {
  public:
    ReplayReductionKernels(std::shared_ptr<Tape> tape, std::shared_ptr<ReductionKernels> inner)
        : m_tape(std::move(tape)), m_inner(std::move(inner)) {}
    void copyEveryNth(T from, std::int64_t first, std::int64_t step, T to) override {
        m_tape->add([=, inner = m_inner] { inner->copyEveryNth(from, first, step, to); });
    }
    void squaresOfRows(T tensor, T squares) override {
        m_tape->add([=, inner = m_inner] { inner->squaresOfRows(tensor, squares); });
    }
    void squaresOfTensors(T rows, T ends, T squares) override {
        m_tape->add([=, inner = m_inner] { inner->squaresOfTensors(rows, ends, squares); });
    }
    void addExactSquares(T values, T sums) override {
        m_tape->add([=, inner = m_inner] { inner->addExactSquares(values, sums); });
    }
    void totalOfExactSquares(T sums, T square) override {
        m_tape->add([=, inner = m_inner] { inner->totalOfExactSquares(sums, square); });
    }
    void decideUpdate(T squares, const UpdateRules& rules, T state) override {
        m_tape->add([=, inner = m_inner] { inner->decideUpdate(squares, rules, state); });
    }

  private:
    std::shared_ptr<Tape> m_tape;
    std::shared_ptr<ReductionKernels> m_inner;
};

#define RINGSIDE_REPLAYED(name, parameters, arguments)     \
    void name parameters override {                        \
        demandOwn arguments;                               \
        m_tape->add([=, this] { m_cpu->name arguments; }); \
    }

class ReplayBackend final : public Backend {
  public:
    // number: number of the device among those of the process.
    explicit ReplayBackend(std::shared_ptr<Tape> tape, int number = 0) : m_tape(std::move(tape)), m_number(number) {}

    std::string name() const override { return "replay"; }
    Device device() const override { return {Device::Kind::kCpu, m_number}; }
    std::unique_ptr<Backend> makePeer(int number, int) override {
        auto tape = std::make_shared<Tape>();
        if (m_tape->gpu) tape->gpu = std::make_shared<LoggedGpu>();
        return std::make_unique<ReplayBackend>(std::move(tape), number);
    }
    void copyFromPeer(T from, T to) override {
        demandOwn(to);
        m_tape->add([=, this] { m_cpu->copy(from, to); });
    }
    // Registers memory of a fake GPU as device memory.
    Tensor allocate(const Shape& shape, DType type) override {
        Tensor tensor{nullptr, shape, type, device()};
        tensor.data = m_tape->gpu ? m_tape->gpu->allocate(tensor.bytes()) : m_cpu->allocate(shape, type).data;
        return tensor;
    }
    void upload(const void* from, const Tensor& to) override {
        countHostCopy();
        if (m_tape->gpu && isSmall(to)) return uploadLater(from, to);
        m_tape->drain();
        m_cpu->upload(from, to);
    }
    void download(const Tensor& from, void* to) override {
        countHostCopy();
        m_tape->drain();
        m_cpu->download(from, to);
    }
    double squaredNorm(const Tensor& tensor) override {
        countHostCopy();
        m_tape->drain();
        return m_cpu->squaredNorm(tensor);
    }
    void synchronize() override { m_tape->drain(); }
    std::unique_ptr<ResultSlot> makeResultSlot(std::size_t bytes) override {
        if (!m_tape->gpu) return nullptr;
        m_tape->gpu->logsNewEvents = true;
        auto slot = std::make_unique<cuda::PinnedSlot>(ringParts(), bytes, slotFunctions());
        m_tape->gpu->logsNewEvents = false;
        return slot;
    }
    std::optional<RecordingDevice> recordingDevice() override {
        return RecordingDevice{[this](const auto& work) { return record(m_tape, work); },
                               [this] { return m_hostCopies; }};
    }
    std::unique_ptr<Uploader> makeUploader(bool) override {
        if (m_tape->gpu) return std::make_unique<cuda::PinnedRing>(ringParts(), false);
        return m_tape->uploads ? std::make_unique<LateUploader>() : nullptr;
    }
    AttentionMemory attentionMemory(const AttentionSpec& spec) const override { return m_cpu->attentionMemory(spec); }
    std::unique_ptr<ReductionKernels> makeReductionKernels() override {
        return std::make_unique<ReplayReductionKernels>(m_tape, m_cpu->makeReductionKernels());
    }
    std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec) override {
        return std::make_unique<ReplayConvolution>(m_tape, m_cpu->makeConvolution(spec));
    }

    // Initial values are drawn in temporary host memory, because device() is a CPU.
    void fill(T tensor, float value) override {
        const bool isTemporary = m_tape->gpu && m_tape->gpu->isHostMemory(tensor.data);
        if (isTemporary) return m_cpu->fill(tensor, value);
        m_tape->add([=, this] { m_cpu->fill(tensor, value); });
    }
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
    // Throws if a tensor is in the memory of another device, as a GPU that cannot reach it would. Batches in host
    // memory belong to device 0.
    template <class... Arguments>
    void demandOwn(const Arguments&... arguments) const {
        (demandOwnOne(arguments), ...);
    }
    template <class Other>
    void demandOwnOne(const Other&) const {}
    void demandOwnOne(const Tensor& tensor) const {
        if (tensor && tensor.device != device())
            throw DeviceError("device " + std::to_string(m_number) + " uses the memory of device " +
                              std::to_string(tensor.device.index));
    }
    cuda::RingParts ringParts() const {
        return {m_tape->gpu, std::make_shared<testing::FakeClock>(), m_tape->gpu->computeStream(), "GPU 0 (fake)"};
    }
    // The first part is the whole sum, the others are zero.
    cuda::SlotFunctions slotFunctions() {
        return {[] {}, [this](const Tensor& values,
                              double* parts) { m_tape->add([=, this] { parts[0] = m_cpu->squaredNorm(values); }); }};
    }
    // True for values that a step uploads: the signal, a key of dropout, the learning rate.
    static bool isSmall(const Tensor& to) { return to.count() == 1 || to.type == DType::kUInt8; }
    void uploadLater(const void* from, const Tensor& to) {
        const auto* bytes = static_cast<const std::byte*>(from);
        m_tape->add([to, value = std::vector<std::byte>(bytes, bytes + to.bytes())] {
            std::memcpy(to.data, value.data(), value.size());
        });
    }
    void countHostCopy() {
        ++m_hostCopies;
        if (m_tape->recording) throw DeviceError("the host cannot be recorded");
    }

    std::shared_ptr<Tape> m_tape;
    int m_number;
    std::unique_ptr<Backend> m_cpu = makeCpuBackend(1);
    std::int64_t m_hostCopies = 0;
};

class ReplayCommunicator final : public Communicator {
  public:
    ReplayCommunicator(std::shared_ptr<Tape> tape, Communicator& inner) : m_tape(std::move(tape)), m_inner(inner) {}
    ReplayCommunicator(std::shared_ptr<Tape> tape, std::unique_ptr<Communicator> group)
        : m_tape(std::move(tape)), m_own(std::move(group)), m_inner(*m_own) {}

    int rank() const override { return m_inner.rank(); }
    int size() const override { return m_inner.size(); }
    std::string name() const override { return m_inner.name(); }
    void allReduce(CommBuffer buffer, ReduceOp op) override {
        if (isOnHost(buffer)) {
            m_tape->drain();
            return m_inner.allReduce(buffer, op);
        }
        play([=, this] { m_inner.allReduce(buffer, op); });
    }
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override {
        allReduce(buffer, op);
        return {};
    }
    void broadcast(CommBuffer buffer, int root) override { drained().broadcast(buffer, root); }
    void allGather(CommBuffer in, CommBuffer out) override {
        if (isOnHost(in)) return drained().allGather(in, out);
        play([=, this] { m_inner.allGather(in, out); });
    }
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override {
        play([=, this] { m_inner.reduceScatter(in, out, op); });
    }
    void send(CommBuffer buffer, int to) override { sendAsync(buffer, to).wait(); }
    void recv(CommBuffer buffer, int from) override {
        play([=, this] { m_inner.recv(buffer, from); });
    }
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override {
        std::unique_ptr<Communicator> group = m_inner.split(colour, key, use);
        return group ? std::make_unique<ReplayCommunicator>(m_tape, std::move(group)) : nullptr;
    }
    // Sends the message when the tape is played. Waiting for the handle makes the tape wait for the receiver.
    CommHandle sendAsync(CommBuffer buffer, int to) override {
        auto sent = std::make_shared<CommHandle>();
        play([=, this] { *sent = m_inner.sendAsync(buffer, to); });
        m_sent.push_back(sent);
        return {*this, static_cast<std::int64_t>(m_sent.size()) - 1};
    }
    CommHandle recvAsync(CommBuffer buffer, int from) override {
        recv(buffer, from);
        return {};
    }
    void barrier() override { drained().barrier(); }
    void barrierWithoutTimeout() override { m_inner.barrierWithoutTimeout(); }
    void abort() override { m_inner.abort(); }
    std::int64_t collectiveNumber() const override { return m_inner.collectiveNumber(); }
    std::span<float> allocate(std::size_t count) override { return m_inner.allocate(count); }

    bool canBeRecordedInGraph() const override { return true; }
    void beginRecording() override { m_recorded = 0; }
    CallsPerGraphLaunch endRecording() override { return {m_recorded, 0, {}}; }

  private:
    void waitFor(std::int64_t ticket) override {
        m_tape->add([sent = m_sent[static_cast<std::size_t>(ticket)]] { sent->wait(); });
    }
    // True for a buffer in host memory: values of types other than float32, unless a step is recorded. A recording
    // contains no work of the host.
    bool isOnHost(CommBuffer buffer) const { return !m_tape->recording && buffer.type != CommType::kFloat32; }
    void play(std::function<void()> call) {
        m_tape->add(std::move(call));
        m_recorded += m_tape->recording ? 1 : 0;
    }
    Communicator& drained() {
        m_tape->drain();
        return m_inner;
    }

    std::shared_ptr<Tape> m_tape;
    std::unique_ptr<Communicator> m_own;  // inner communicator of a sub-group; null for the group of all ranks
    Communicator& m_inner;
    std::vector<std::shared_ptr<CommHandle>> m_sent;
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
