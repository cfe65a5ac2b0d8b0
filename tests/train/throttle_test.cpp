// SPDX-License-Identifier: Apache-2.0
// Tests of throttled ranks: a step takes as long as on another device, and its numbers are those of this device.
#include <algorithm>
#include <cstring>
#include <thread>

#include "base/time/monotonic.h"
#include "comm/throttle/throttled_communicator.h"
#include "nn/models/model_factory.h"
#include "support/catch.h"
#include "support/choices.h"
#include "train/throttle/device_throttle.h"
#include "train/throttle/phase_throttle.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig fewSteps() {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = 1;
    config.loader.batchSize = 120;  // 6 steps
    return config;
}

// Communicator that forwards all calls to another one, which it does not own.
class Borrowed final : public Communicator {
  public:
    explicit Borrowed(Communicator& whose) : m_whose(whose) {}
    int rank() const override { return m_whose.rank(); }
    int size() const override { return m_whose.size(); }
    std::string name() const override { return m_whose.name(); }
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override {
        return m_whose.split(colour, key, use);
    }
    void allReduce(CommBuffer buffer, ReduceOp op) override { m_whose.allReduce(buffer, op); }
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override { return m_whose.allReduceAsync(buffer, op); }
    void broadcast(CommBuffer buffer, int root) override { m_whose.broadcast(buffer, root); }
    void allGather(CommBuffer in, CommBuffer out) override { m_whose.allGather(in, out); }
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override { m_whose.reduceScatter(in, out, op); }
    void send(CommBuffer buffer, int to) override { m_whose.send(buffer, to); }
    void recv(CommBuffer buffer, int from) override { m_whose.recv(buffer, from); }
    void barrier() override { m_whose.barrier(); }
    void barrierWithoutTimeout() override { m_whose.barrierWithoutTimeout(); }
    CommHandle sendAsync(CommBuffer buffer, int to) override { return m_whose.sendAsync(buffer, to); }
    CommHandle recvAsync(CommBuffer buffer, int from) override { return m_whose.recvAsync(buffer, from); }
    void abort() override { m_whose.abort(); }
    std::int64_t collectiveNumber() const override { return m_whose.collectiveNumber(); }
    std::span<float> allocate(std::size_t count) override { return m_whose.allocate(count); }
    void setTrace(CollectiveTrace* trace) override { m_whose.setTrace(trace); }

  private:
    Communicator& m_whose;
};

RunOptions pacedLinks(const ThrottleConfig& throttle) {
    RunOptions options;
    options.devices = [throttle](Communicator& threads) {
        const LinkThrottle link{throttle.gbitPerSecond, throttle.latencyUs};
        return RankParts{makeCpuBackend(1),
                         std::make_unique<ThrottledCommunicator>(std::make_unique<Borrowed>(threads), link)};
    };
    return options;
}

void checkSameBits(RunConfig config) {
    const auto plain = trainAsThreads(config);
    config.parallel.throttle = {20, 10, 2};
    const auto throttled = trainAsThreads(config, pacedLinks(config.parallel.throttle));
    for (std::size_t rank = 0; rank < plain.size(); ++rank) {
        REQUIRE(throttled[rank].steps.size() == plain[rank].steps.size());
        REQUIRE(plain[rank].steps.size() >= 6);
        for (std::size_t i = 0; i < plain[rank].steps.size(); ++i)
            CHECK(throttled[rank].steps[i].loss == plain[rank].steps[i].loss);
        const auto& a = plain[rank].parameters;
        const auto& b = throttled[rank].parameters;
        REQUIRE(a.size() == b.size());
        CHECK((a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0));
    }
}

// Returns the start, on the clock of the run, of the only collective in a step.
std::int64_t startOfOnlySum(const StepTrace& trace) {
    REQUIRE(trace.collective.size() == 1);
    return trace.beginNs + trace.ready[0];
}
std::int64_t endOfOnlySum(const StepTrace& trace) {
    return trace.beginNs + trace.ended.at(0);
}

}  // namespace

TEST_CASE("a throttled pass lasts as long as on the emulated device") {
    RunConfig config;  // 64 -> 128 -> 10
    config.parallel.throttle.gflops = 2;
    const ModelInterface interface { .sample = Shape{64}, .outputs = 10 };
    const DeviceThrottle throttle(config, interface);
    const auto backend = makeCpuBackend(1);
    ModelBuild build;
    const auto model = makeModel(config.model, interface, *backend, build).value();
    model->prepare(32);
    using enum LayerWatch::Work;
    // A sample's forward: 2 * 64 * 128 + 128 of the ReLU + 2 * 128 * 10 = 19,072; 32 samples at 2 FLOP a nanosecond.
    const std::size_t all = model->layerCount();
    CHECK(throttle.passNs(*model, kForward, 32, 0, all) == 305'152);
    CHECK(throttle.passNs(*model, kBackward, 32, 0, all) == 610'304);
    CHECK(throttle.passNs(*model, kInputs, 32, 0, all) == 305'152);
    CHECK(throttle.passNs(*model, kWeights, 32, 0, all) == 305'152);
    const std::int64_t parts =
        throttle.passNs(*model, kForward, 32, 0, 1) + throttle.passNs(*model, kForward, 32, 1, all);
    CHECK(std::abs(parts - 305'152) <= 1);
    CHECK(throttle.updateNs(9610) == 19'220);  // with momentum: two multiplications and two additions each
    config.training.recompute = Recompute::kAll;
    CHECK(DeviceThrottle(config, interface).passNs(*model, kBackward, 32, 0, all) == 3 * 305'152);
    CHECK_FALSE(DeviceThrottle(RunConfig(), interface).isActive());
}

TEST_CASE("throttled ranks are bit-identical to unthrottled ones") {
    RunConfig config = fewSteps();
    SECTION("mlp") {}
    SECTION("simple_cnn") {
        config.model.kind = ModelKind::kSimpleCnn;
    }
    SECTION("fsdp") {
        config.parallel.strategy = StrategyKind::kFsdp;
    }
    SECTION("pipeline of micro-batches") {
        config.parallel.strategy = StrategyKind::kPipeline;
    }
    checkSameBits(config);
}

TEST_CASE("a throttled step never ends earlier than on the emulated device") {
    RunConfig config = fewSteps();
    config.parallel.throttle.gflops = 1;           // 120 samples: 2.3 ms forward, 4.6 ms backward
    RunOptions options = pacedLinks({0, 0.1, 0});  // 38,440 bytes of gradients and the signal's line: 3.1 ms
    const std::int64_t began = monotonicNs();
    const auto ranks = trainAsThreads(config, options);
    // Five complete steps; the last step is shorter.
    CHECK(monotonicNs() - began >= 5 * (3 * 120 * 19'072LL + 3'075'200));
    for (std::size_t i = 0; i < ranks[0].traces.size(); ++i) {
        const StepTrace& trace = ranks[0].traces[i];
        if (trace.step == 6) continue;
        const PhaseTimes times = phaseTimes(trace);
        CHECK(times[static_cast<std::size_t>(Phase::kForward)] >= 120 * 19'072);
        CHECK(times[static_cast<std::size_t>(Phase::kBackward)] >= 2 * 120 * 19'072);
        REQUIRE(ranks[1].traces.at(i).step == trace.step);
        // Does not check the phase: a rank without a CPU arrives late at a wait whose transfer has begun.
        CHECK(endOfOnlySum(trace) - std::max(startOfOnlySum(trace), startOfOnlySum(ranks[1].traces[i])) >= 3'075'200);
    }
    CHECK(ranks[0].traces.size() >= 2);
}

namespace {

// Update phase in pieces of given durations. The emulated device has a fixed time for the whole update.
struct PacedUpdate {
    PhaseTrack phases;
    std::vector<PhaseStamp> stamps;
    PhaseThrottle phaseThrottle;

    static DeviceThrottle paceOf(double gflops) {
        RunConfig config;
        config.parallel.throttle.gflops = gflops;
        return DeviceThrottle(config, ModelInterface{.sample = Shape{64}, .outputs = 10});
    }
    explicit PacedUpdate(double gflops) : phaseThrottle(paceOf(gflops), 3, phases) {
        phaseThrottle.startObserving();
        stamps.reserve(64);
    }
    ~PacedUpdate() { phases.recordStamps(nullptr); }
    void step(std::int64_t parameters, const std::vector<int>& pieces) {
        phaseThrottle.beginStep(parameters);
        for (const int ms : pieces) {
            const PhaseScope scope(phases, Phase::kOptimizer);
            std::this_thread::sleep_for(std::chrono::milliseconds(ms));
        }
        phaseThrottle.sleepUntilUpdateEnds();
    }
    // Returns the durations of the pieces, from the stamps.
    std::vector<std::int64_t> piecesNs() const {
        std::vector<std::int64_t> all;
        for (std::size_t i = 0; i + 1 < stamps.size(); ++i)
            if (stamps[i].phase == Phase::kOptimizer) all.push_back(stamps[i + 1].atNs - stamps[i].atNs);
        return all;
    }
};

}  // namespace

// 4 FLOP a parameter with momentum: 50,000 of them at 0.01 GFLOP/s take 20 ms.
TEST_CASE("an update in pieces lasts as long in total as on the emulated device") {
    PacedUpdate update(0.01);
    update.phases.recordStamps(&update.stamps);
    update.step(50'000, {1, 2, 3});
    const std::vector<std::int64_t> pieces = update.piecesNs();
    REQUIRE(pieces.size() == 4);
    std::int64_t sum = 0;
    for (const std::int64_t one : pieces) sum += one;
    CHECK(sum >= 20'000'000);
    CHECK(pieces[3] > 0);
    // The time of earlier pieces is subtracted from the last one, which then needs no sleep.
    update.stamps.clear();
    update.step(50'000, {50, 50, 50});
    const std::vector<std::int64_t> late = update.piecesNs();
    REQUIRE(late.size() == 4);
    CHECK(late[3] < late[0]);
}

TEST_CASE("a CPU too slow for the throttle of the update is reported, as for passes") {
    PacedUpdate slow(1000);  // 10,000 parameters: 40 ns
    std::optional<ThrottleKept> reported;
    for (std::int64_t step = 1; step <= 40 && !reported; ++step) {
        slow.step(10'000, {1});
        reported = slow.phaseThrottle.endStep(step);
    }
    REQUIRE(reported);
    CHECK(reported->rank == 3);
    CHECK(reported->kept == false);
    CHECK(reported->times > 1000);
}

TEST_CASE("steps traced by layer contain the start of each layer, forward and backward") {
    RunConfig config = fewSteps();
    choose(config.telemetry.trace, GENERATE("layers", "phases"));
    const auto ranks = trainAsThreads(config);
    REQUIRE_FALSE(ranks[1].traces.empty());
    const StepTrace& trace = ranks[1].traces.front();
    if (config.telemetry.trace == TraceLevel::kPhases) {
        CHECK(trace.layer.empty());
        return;
    }
    std::vector<std::int64_t> layers;
    for (std::size_t i = 0; i < trace.layer.size(); ++i)
        if (trace.layer[i] >= 0) layers.push_back(trace.layer[i]);
    CHECK(layers == std::vector<std::int64_t>{0, 1, 2, 2, 1, 0});  // Linear, ReLU, Linear
}

TEST_CASE("a throttle with which ranks would count as hung is refused with limit and remedy") {
    RunConfig config = fewSteps();
    config.parallel.timeoutSeconds = 2;
    config.parallel.throttle.gflops = 0.001;  // 2 * 120 * 19,072 FLOP take 4.58 s
    CHECK_THROWS_WITH(trainAsThreads(config),
                      containing("parallel.pace.gflops makes a backward pass last 4.58 s; the maximum is 1 s"));
    config.parallel.throttle = {0, 0.0001, 0};  // 38,440 bytes once each way between two ranks: 3.08 s
    CHECK_THROWS_WITH(trainAsThreads(config),
                      containing("parallel.pace.gbit_per_s makes the gradients' all-reduce last 3.08 s"));
}
