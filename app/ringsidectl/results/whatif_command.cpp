// SPDX-License-Identifier: Apache-2.0
#include "results/whatif_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>

#include "base/json/json.h"
#include "experiment/experiment_file.h"
#include "run/read/read_traces.h"
#include "telemetry/data/run_pauses.h"
#include "whatif/step_replay.h"

namespace ringside {
namespace {

constexpr const char* kWhatifFooter =
    "The recorded steps of a run are simulated with a change: each rank does the recorded work, and a collective "
    "starts\n"
    "when its last rank has arrived. Everything else stays fixed: the work of all other ranks, and other programs on "
    "the\n"
    "CPUs. With another world size each rank does the work of a recorded rank on its own processor, and a ring "
    "transfers\n"
    "the bytes.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl whatif runs/slow --without-delay 2\n"
    "  ringsidectl whatif runs/slow --bandwidth 10 --latency 0.5 --json\n"
    "  ringsidectl whatif runs/slow --bucket 5 --world-size 8";

struct WhatifArguments {
    std::string directory;
    StepChange change;
    bool asJson = false;
};

std::string changeText(const StepChange& change) {
    std::string text;
    const auto add = [&text](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
    if (change.withoutDelayOf >= 0) add("without rank " + std::to_string(change.withoutDelayOf) + "'s delay");
    if (change.bandwidth != 1) add(fmt::format("{:g} times the bandwidth", change.bandwidth));
    if (change.latency != 1) add(fmt::format("{:g} times the latency", change.latency));
    if (change.noOverlap) add("without overlap");
    if (change.bucketMiB > 0) add(fmt::format("buckets of {:g} MiB", change.bucketMiB));
    if (change.worldSize > 0) add(std::to_string(change.worldSize) + " ranks");
    return text.empty() ? "no change" : text;
}

// Returns the reason why some traced steps are not simulated; empty if all are simulated.
std::string pausedText(const ReplayResult& result) {
    if (result.pausedSteps == 0) return {};
    return fmt::format(
        "the ranks paused within {} of the traced steps (slow motion of at most {:g} steps/s, or an inspection), whose "
        "times cannot be separated from the pauses",
        result.pausedSteps, RunPauses::kShowsPhasesAt);
}

void print(const ReplayResult& result, const StepChange& change) {
    std::printf("%lld steps: measured %.3f ms per step, simulated %.3f ms (%+.1f %%)\n",
                static_cast<long long>(result.steps), result.measured, result.replayed,
                100 * (result.replayed / result.measured - 1));
    std::printf("%s: %.3f ms per step (%.3f to %.3f), %.2f times as fast\n", changeText(change).c_str(),
                result.predicted, result.low, result.high, result.replayed / result.predicted);
    if (const std::string paused = pausedText(result); !paused.empty()) std::printf("not used: %s\n", paused.c_str());
}

int runWhatif(const WhatifArguments& arguments) {
    const Result<RunPaths> paths = openRunDirectory(arguments.directory);
    if (!paths) return reportProblems({paths.problem()});
    const Result<RecordedTraces> traces = readTraces(paths.value());
    if (!traces) return reportProblems({traces.problem()});
    const auto ranks = static_cast<int>(traces.value().data.worldSize());
    if (arguments.change.withoutDelayOf >= ranks)
        return reportProblems({{"--without-delay",
                                "is " + std::to_string(arguments.change.withoutDelayOf) + "; the run has ranks 0 to " +
                                    std::to_string(ranks - 1),
                                "give the number of one of these ranks"}});
    const ReplayResult result = replaySteps(traces.value().data, arguments.change);
    if (!result.unanswered.empty())
        return reportProblems(
            {{arguments.change.bucketMiB > 0 ? "--bucket" : "--world-size", "cannot be predicted: " + result.unanswered,
              "change the experiment and measure it: ringsidectl strategies, or ringsidectl run"}});
    if (result.steps == 0)
        return reportProblems({{arguments.directory,
                                result.pausedSteps > 0 ? "contains no step that can be simulated: " + pausedText(result)
                                                       : "contains no step that all ranks traced",
                                result.pausedSteps > 0 ? "train some steps at full speed" : "train for more steps"}});
    if (traces.value().badLines > 0)
        std::cerr << "ringsidectl: " << traces.value().badLines
                  << (traces.value().badLines == 1 ? " damaged line of traces was skipped\n"
                                                   : " damaged lines of traces were skipped\n");
    if (!arguments.asJson) {
        print(result, arguments.change);
        return 0;
    }
    const Json json = {
        {"steps", result.steps},          {"paused_steps", result.pausedSteps}, {"measured_ms", result.measured},
        {"replayed_ms", result.replayed}, {"predicted_ms", result.predicted},   {"low_ms", result.low},
        {"high_ms", result.high}};
    std::cout << json.dump() << '\n';
    return 0;
}

}  // namespace

void addWhatifCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("whatif", "Predicts the step time of a run after a change");
    command->footer(kWhatifFooter);
    auto arguments = std::make_shared<WhatifArguments>();
    command->add_option("RUN_DIR", arguments->directory, "The run directory")->required();
    command
        ->add_option("--without-delay", arguments->change.withoutDelayOf,
                     "Number of a slow rank whose delay is removed")
        ->type_name("RANK")
        ->check(CLI::Range(0, 4095));
    command
        ->add_option("--bandwidth", arguments->change.bandwidth,
                     "Factor by which the bandwidth of collectives is multiplied")
        ->type_name("TIMES")
        ->check(CLI::Range(1e-6, 1e6));
    command
        ->add_option("--latency", arguments->change.latency, "Factor by which the latency of collectives is multiplied")
        ->type_name("TIMES")
        ->check(CLI::Range(0.0, 1e6));
    command->add_flag("--no-overlap", arguments->change.noOverlap, "Start collectives after the backward pass");
    command->add_option("--bucket", arguments->change.bucketMiB, "Size of the gradient buckets in MiB")
        ->type_name("MIB")
        ->check(CLI::Range(1e-3, 1e6));
    command
        ->add_option("--world-size", arguments->change.worldSize,
                     "Number of ranks; each does the work of a recorded rank")
        ->type_name("W")
        ->check(CLI::Range(2, 4096));
    command->add_flag("--json", arguments->asJson, "Print one line of JSON, with times in milliseconds");
    command->callback([arguments, &action] { action = [arguments] { return runWhatif(*arguments); }; });
}

}  // namespace ringside
