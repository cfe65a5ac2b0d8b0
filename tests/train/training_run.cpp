// SPDX-License-Identifier: Apache-2.0
#include "train/training_run.h"

#include <utility>

#include "backend/backend.h"
#include "comm/ranks_as_threads.h"
#include "data/sets/common/memory_dataset.h"
#include "sampling/random/torch_random.h"
#include "support/catch.h"

namespace ringside::test {

namespace {

class RecordingObserver final : public TrainerObserver {
  public:
    RecordingObserver(RankReport& report, std::int64_t stepUs, std::function<void(std::int64_t)> afterStep,
                      std::function<void(const Event&)> afterEvent)
        : m_report(report), m_stepUs(stepUs), m_afterStep(std::move(afterStep)), m_afterEvent(std::move(afterEvent)) {
        report.steps.reserve(1000);
    }
    void onStep(const StepRecord& record) override {
        m_report.steps.push_back(record);
        m_afterStep(record.step);
    }
    void onEvent(Event event) override {
        m_report.events.push_back(std::move(event));
        m_afterEvent(m_report.events.back());
    }
    void onTrace(const StepTrace& trace) override { m_report.traces.push_back(trace); }
    void onState(RankStage state) override { m_report.states.push_back(state); }
    std::int64_t nowUs() const override { return m_stepUs * static_cast<std::int64_t>(m_report.steps.size()); }
    Progress& progress() override { return m_progress; }

  private:
    RankReport& m_report;
    std::int64_t m_stepUs;
    std::function<void(std::int64_t)> m_afterStep;
    std::function<void(const Event&)> m_afterEvent;
    Progress m_progress;
};

class SwitchedControl final : public ControlSource {
  public:
    explicit SwitchedControl(std::vector<ControlCommand> whilePaused) : m_whilePaused(std::move(whilePaused)) {}
    void stop() { m_waiting.push_back({ControlKind::kStop}); }
    void addCommands(const std::vector<ControlCommand>& commands) {
        m_waiting.insert(m_waiting.end(), commands.begin(), commands.end());
    }
    bool hasCommand() const override { return !m_waiting.empty(); }
    std::vector<ControlCommand> take(std::size_t) override { return std::exchange(m_waiting, {}); }
    // Returns immediately, because a test has no real waits.
    bool waitForCommand(std::chrono::microseconds) override {
        if (m_waiting.empty() && m_next < m_whilePaused.size()) m_waiting.push_back(m_whilePaused[m_next++]);
        return hasCommand();
    }
    bool waitForStop(std::chrono::microseconds) override {
        ++m_rests;
        return false;
    }
    int rests() const { return m_rests; }

  private:
    int m_rests = 0;
    std::vector<ControlCommand> m_waiting;
    const std::vector<ControlCommand> m_whilePaused;
    std::size_t m_next = 0;
};

RankReport trainRank(Communicator& communicator, Backend& backend, const RunConfig& config, const DataSplit& data,
                     const RunOptions& options) {
    RankReport report;
    SwitchedControl control(options.commandsWhilePaused);
    const auto afterStep = [&](std::int64_t step) {
        if (communicator.rank() != 0) return;
        if (options.stopAfter && options.stopAfter(step)) control.stop();
        if (const auto commands = options.commandsAfter.find(step); commands != options.commandsAfter.end())
            control.addCommands(commands->second);
    };
    const auto afterEvent = [&](const Event& event) {
        if (communicator.rank() == 0 && options.onEvent) options.onEvent(event);
    };
    RecordingObserver observer(report, options.stepUs, afterStep, afterEvent);
    Trainer trainer({config,
                     data,
                     communicator,
                     backend,
                     observer,
                     control,
                     options.runDirectory,
                     nullptr,
                     {},
                     options.reportSamples});
    report.outcome = trainer.run();
    report.rests = control.rests();
    for (const Parameter* parameter : trainer.model().parameters()) {
        const auto values = parameter->value.floats();
        report.parameters.insert(report.parameters.end(), values.begin(), values.end());
    }
    return report;
}

}  // namespace

std::vector<EpochResult> RankReport::results(const std::string& split) const {
    std::vector<EpochResult> found;
    for (const EpochResult& result : all<EpochResult>())
        if (nameOf(result.split) == split) found.push_back(result);
    return found;
}

std::vector<RankReport> trainAsThreads(const RunConfig& config, const DataSplit& data, const RunOptions& options) {
    const int size = static_cast<int>(config.parallel.worldSize);
    std::vector<RankReport> reports(static_cast<std::size_t>(size));
    onLocalRanks(size, [&](Communicator& communicator) {
        RankParts own = options.devices ? options.devices(communicator) : RankParts{makeCpuBackend(1), nullptr};
        reports[static_cast<std::size_t>(communicator.rank())] =
            trainRank(own.communicator ? *own.communicator : communicator, *own.backend, config, data, options);
    });
    return reports;
}

std::vector<RankReport> trainAsThreads(const RunConfig& config, const RunOptions& options) {
    return trainAsThreads(config, loadDataset(config.dataset).value(), options);
}

DataSplit largeNumbers() {
    SampleTable table;
    table.size = 192;  // 12 steps of 8 on two ranks
    table.shape.features = 10;
    table.features.resize(1920);
    TorchGenerator(1).normal(table.features);
    for (float& value : table.features) value *= 1e16F;
    for (std::int32_t i = 0; i < 192; ++i) table.labels.push_back(i % 3);
    table.classNames = {"a", "b", "c"};
    return {std::make_shared<MemoryDataset>(std::move(table)), nullptr, {}};
}

std::vector<double> globalLosses(const std::vector<RankReport>& ranks) {
    std::vector<double> losses(ranks.front().steps.size(), 0.0);
    for (const RankReport& rank : ranks) {
        REQUIRE(rank.steps.size() == losses.size());
        for (std::size_t i = 0; i < losses.size(); ++i)
            losses[i] += rank.steps[i].loss / static_cast<double>(ranks.size());
    }
    return losses;
}

}  // namespace ringside::test
