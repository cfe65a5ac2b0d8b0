// SPDX-License-Identifier: Apache-2.0
#include "results/strategies_command.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <iostream>
#include <memory>
#include <sstream>

#include "base/json/json.h"
#include "base/processors/processors.h"
#include "base/system/signal_input.h"
#include "base/system/work_directory.h"
#include "base/text/terminal_text.h"
#include "data/sets/common/dataset.h"
#include "experiment/experiment_file.h"
#include "results/strategy_line.h"
#include "run/prepare/prepared_run.h"
#include "run/read/metrics_reader.h"
#include "run/read/read_traces.h"
#include "run/training/training_child.h"
#include "telemetry/traces/idle_share.h"

namespace ringside {
namespace {

constexpr const char* kStrategiesFooter =
    "CONFIG is an experiment file (JSON), - for standard input, or nothing for the built-in experiment. For every\n"
    "strategy with this number of ranks: memory of the rank that needs the most, bytes that a rank sends per step,\n"
    "samples per step, idle share, expected time of a step, and samples per second. Compare strategies by\n"
    "samples per second: their steps train on different numbers of samples. Idle: share of the forward and backward\n"
    "passes' time in which the average rank waits for other stages. The expected time is computed from the time that "
    "a\n"
    "single rank takes (--no-rates: from the usual speed of such machines). For an impossible strategy, the reason is "
    "shown.\n"
    "* marks the experiment itself, with its own mesh, split and stages. --measure trains each for a few seconds.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl strategies my.json\n"
    "  ringsidectl strategies --set parallel.world_size=2 --measure --only ddp,fsdp:parameters --json";

struct StrategiesArguments {
    std::string config;
    std::vector<std::string> assignments;
    std::string only;
    double seconds = 2;
    bool measure = false;
    bool noRates = false;
    bool json = false;
};

// Returns the time of a step in seconds: the median of the traced steps, which the slow first step does not distort.
// Uses the mean step rate if there are no traces. 0: not known.
double stepSecondsOf(const TrainedChild& child) {
    const Result<RecordedTraces> traces = readTraces(RunPaths(child.run));
    if (traces)
        if (const auto seconds = typicalStepSeconds(traces.value().data)) return *seconds;
    return child.summary.stepsPerSecond > 0 ? 1 / child.summary.stepsPerSecond : 0;
}

// Returns a configuration for a measurement, which trains `steps` steps and saves nothing. The measurement continues
// after a loss that is not finite, because step times do not depend on the values.
RunConfig forSteps(RunConfig config, std::int64_t steps) {
    config.training.onNonFinite = OnNonFinite::kContinue;
    config.training.maxSteps = steps;
    config.training.epochs = std::max<std::int64_t>(config.training.epochs, steps);
    config.training.checkpointEvery = 0;
    config.training.resume.clear();
    if (config.telemetry.trace == TraceLevel::kOff) config.telemetry.trace = TraceLevel::kSteps;
    return config;
}

// Measures the FLOP rate of this machine: trains a single rank with the batch size that each rank of the experiment
// has.
MachineRates measuredRates(const PlanSubject& subject, const std::filesystem::path& directory, int stopFd) {
    constexpr std::int64_t kSteps = 40;
    MachineRates rates{.processors = usableProcessors()};
    PlanSubject alone = subject;
    alone.config.parallel.strategy = StrategyKind::kDdp;
    alone.config.parallel.worldSize = 1;
    alone.config.parallel.memoryLimitMb = 0;
    // Disable throttling, which imitates a slower device: the rates must be those of this machine.
    alone.config.parallel.throttle = {};
    alone.config.mesh = {};
    const Result<StrategyPlan> plan = planStrategy(alone);
    const Result<TrainedChild> child =
        TrainingChild("/proc/self/exe", forSteps(alone.config, kSteps), "rates", directory).wait(stopFd);
    if (!plan || !child) return rates;
    const double seconds = stepSecondsOf(child.value());
    if (seconds <= 0) return rates;
    rates.flopsPerSecond = stepFlops(alone, plan.value()) / seconds;
    rates.measured = true;
    return rates;
}

// Returns the first step whose logged loss is not finite, if any.
std::optional<std::int64_t> divergedAt(const TrainedChild& child) {
    if (child.summary.nonFiniteBatches == 0) return {};
    Result<MetricsReader> metrics = MetricsReader::open(RunPaths(child.run).metrics());
    if (!metrics) return {};
    for (auto step = metrics.value().next(); step && step.value(); step = metrics.value().next())
        if (!std::isfinite(step.value()->loss)) return step.value()->step;
    return {};
}

void measure(StrategyLine& line, double seconds, const std::filesystem::path& directory, int stopFd) {
    const double expected = std::max(line.choice.cost->time.total(), 1e-5);
    const auto steps = static_cast<std::int64_t>(std::clamp(seconds / expected, 6.0, 4000.0));
    std::string name = line.choice.name;
    std::ranges::replace(name, ':', '-');
    const Result<TrainedChild> child =
        TrainingChild("/proc/self/exe", forSteps(line.choice.config, steps), name, directory).wait(stopFd);
    if (!child) {
        line.problem = child.problem().message;
        return;
    }
    const RunSummary& summary = child.value().summary;
    line.measured = MeasuredStrategy{.stepMs = stepSecondsOf(child.value()) * 1e3,
                                     .idleShare = summary.idleShare,
                                     .processors = usableProcessors(),
                                     .divergedAt = divergedAt(child.value())};
    if (summary.memory)
        for (const RankMemory& one : *summary.memory) line.measured->peak = std::max(line.measured->peak, one.peak);
}

Result<std::vector<StrategyLine>> chosenLines(const std::string& only, std::vector<StrategyChoice> choices) {
    std::vector<StrategyLine> lines;
    std::string known;
    std::vector<std::string> wanted;
    std::istringstream words(only);
    for (std::string word; std::getline(words, word, ',');) wanted.push_back(word);
    for (StrategyChoice& one : choices) {
        known += (known.empty() ? "" : ", ") + one.name;
        const auto found = std::ranges::find(wanted, one.name);
        if (!only.empty() && found == wanted.end()) continue;
        if (found != wanted.end()) wanted.erase(found);
        lines.push_back({.choice = std::move(one)});
    }
    if (!wanted.empty()) return Problem{"--only", "has \"" + wanted.front() + "\"", "choose from " + known};
    return lines;
}

void print(const StrategyLine& line, const StrategyColumns& columns, bool json) {
    std::cout << (json ? terminalJson(line.toJson().dump()) : terminalText(line.text(columns))) << std::endl;
}

// Returns the experiment with absolute paths and a resolved device. The experiment's own strategy may be invalid; its
// line in the table then contains the problem.
Result<RunConfig> preparedForAnyStrategy(const Experiment& experiment, Problems& problems) {
    RunConfig plain = experiment.config;
    plain.parallel.strategy = StrategyKind::kDdp;
    plain.parallel.memoryLimitMb = 0;
    plain.mesh = {};
    plain.pipeline = {};
    const Result<PreparedRun> prepared = prepareRun(plain, experiment.baseDirectory, &problems);
    if (!prepared) return prepared.problem();
    RunConfig config = prepared.value().config;
    config.parallel.strategy = experiment.config.parallel.strategy;
    config.parallel.memoryLimitMb = experiment.config.parallel.memoryLimitMb;
    config.mesh = experiment.config.mesh;
    config.pipeline = experiment.config.pipeline;
    resolvePaths(config, experiment.baseDirectory);
    return config;
}

int runStrategies(const StrategiesArguments& arguments) {
    if (!(arguments.seconds > 0 && arguments.seconds <= 600))
        return reportProblems(
            {{"--seconds", "must be above 0 and at most 600", "use a number in this range, such as 5"}});
    Problems problems;
    const Result<Experiment> experiment = loadExperiment(arguments.config, arguments.assignments, problems);
    if (!experiment) return reportProblems(problems);
    const Result<RunConfig> prepared = preparedForAnyStrategy(experiment.value(), problems);
    if (!prepared) return reportProblems(problems.empty() ? Problems{prepared.problem()} : problems);
    const RunConfig& config = prepared.value();
    const Result<DataSplit> data = loadDataset(config.dataset, {});
    if (!data) return reportProblems({data.problem()});
    const Result<PlanSubject> subject = planSubject(config, data.value());
    if (!subject) return reportProblems({subject.problem()});

    const UniqueFd signals = signalInput({SIGINT, SIGTERM});
    const WorkDirectory directory("strategies");
    const MachineRates rates = arguments.noRates ? MachineRates{.processors = usableProcessors()}
                                                 : measuredRates(subject.value(), directory.path(), signals.get());
    Result<std::vector<StrategyLine>> lines = chosenLines(arguments.only, strategyChoices(subject.value(), rates));
    if (!lines) return reportProblems({lines.problem()});
    const StrategyColumns columns = StrategyColumns::of(lines.value(), arguments.measure);
    if (!arguments.json) std::cout << StrategyLine::heading(columns) << std::endl;
    for (StrategyLine line : lines.value()) {
        if (arguments.measure && line.choice.cost && line.choice.whyNot.empty())
            measure(line, arguments.seconds, directory.path(), signals.get());
        print(line, columns, arguments.json);
    }
    return 0;
}

}  // namespace

void addStrategiesCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command =
        app.add_subcommand("strategies", "Shows predicted and measured costs of every strategy for an experiment");
    command->footer(kStrategiesFooter);
    auto arguments = std::make_shared<StrategiesArguments>();
    command->add_option("CONFIG", arguments->config, "Experiment file (default: the built-in experiment)");
    command->add_option("--set", arguments->assignments, "Change a setting: --set parallel.world_size=2");
    command->add_option("--only", arguments->only, "Show only these strategies, separated by commas");
    command->add_flag("--measure", arguments->measure, "Train with each strategy for a few seconds");
    command->add_option("--seconds", arguments->seconds, "Approximate training time of each strategy, in seconds")
        ->capture_default_str();
    command->add_flag("--no-rates", arguments->noRates,
                      "Do not measure the speed of this computer first by training on one rank");
    command->add_flag("--json", arguments->json, "Print one line of JSON per strategy");
    command->callback([arguments, &action] { action = [arguments] { return runStrategies(*arguments); }; });
}

}  // namespace ringside
