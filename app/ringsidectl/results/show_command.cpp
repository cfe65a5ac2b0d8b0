// SPDX-License-Identifier: Apache-2.0
#include "results/show_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <utility>

#include "base/json/json.h"
#include "base/text/number_text.h"
#include "base/text/terminal_text.h"
#include "experiment/experiment_file.h"
#include "run/read/recorded_config.h"
#include "run/read/run_directory.h"
#include "run/read/run_life.h"
#include "run/read/run_summary.h"
#include "telemetry/data/dropped_text.h"
#include "telemetry/data/host_links.h"
#include "telemetry/events/clock_text.h"
#include "terminal/verified_shards.h"
#include "watch/audit/audit_run.h"
#include "watch/audit/audit_text.h"

namespace ringside {
namespace {

constexpr const char* kShowFooter =
    "Examples:\n"
    "  ringsidectl show runs/first\n"
    "  ringsidectl show runs/first --json | python3 -m json.tool";

void row(const char* name, const std::string& value) {
    std::printf("%-14s %s\n", name, terminalText(value.empty() ? "-" : value).c_str());
}

std::string metrics(double loss, const std::optional<double>& accuracy) {
    const std::string text = fmt::format("loss {:.4f}", loss);
    return accuracy ? fmt::format("accuracy {:.2f} %, ", 100 * *accuracy) + text : text;
}

void printMetrics(const RunSummary& summary) {
    const FinalMetrics& last = summary.last;
    if (last.trainLoss) row("training", metrics(*last.trainLoss, last.trainAccuracy));
    if (last.validationLoss) {
        row("validation", metrics(*last.validationLoss, last.validationAccuracy) + " (" +
                              std::to_string(last.validationSamples.value_or(0)) + " samples)");
    }
    const BestMetrics& best = summary.best;
    if (best.validationLoss) {
        row("best", metrics(*best.validationLoss, best.validationAccuracy) + ", after epoch " +
                        std::to_string(best.epoch.value_or(0) + 1));
    }
}

void printShards(const RunPaths& paths, const RunSummary& summary) {
    if (!summary.planVerified) return;
    const Result<RunConfig> config = readRecordedConfig(paths);
    row("shards", *summary.planVerified
                      ? verifiedShardsText(summary.planAuditedEpochs, config && config.value().repeatsOrder())
                      : "differs from the plan: " + (summary.planMismatch ? summary.planMismatch->text : "in epoch 0"));
}

// Prints the audit of the trained samples: as recorded in the summary, or counted from the telemetry. The mark "!"
// begins a line about repeated or missing samples; the mark "?" begins a line about samples that are not known.
void printSamples(const RunPaths& paths, const RunSummary& summary) {
    std::vector<SamplesLine> lines;
    if (summary.samples) {
        lines = summary.samples->lines;
    } else {
        const Result<SampleAudit> audit = auditRun(paths.directory);
        if (!audit) return row("samples", "not counted: " + audit.problem().text());
        lines = linesOf(audit.value());
    }
    const char* name = "samples";
    for (const SamplesLine& line : lines)
        row(std::exchange(name, ""), (line.good    ? ""
                                      : line.known ? "! "
                                                   : "? ") +
                                         (line.label.empty() ? line.text : line.label + ": " + line.text));
}

// Prints the findings of a watched run in the order of the summary: mistakes first.
void printFindings(const std::vector<SummaryFinding>& findings) {
    const char* name = "findings";
    for (const SummaryFinding& finding : findings)
        row(std::exchange(name, ""),
            finding.severity + (finding.where ? " at " + *finding.where : "") + ": " + finding.text);
}

// Prints the measured network link of each host, one line per host. Only the first line begins with the label "links".
void printLinks(const std::vector<SummaryHostLink>& links) {
    const char* name = "links";
    for (const SummaryHostLink& link : links) {
        const HostLink numbers{.roundTripMs = link.roundTripMs, .mbitPerSecond = link.mbitPerSecond.value_or(0)};
        row(std::exchange(name, ""), (link.host.empty() ? "rank 0's host" : link.host) + ": " + numbers.text() +
                                         (link.slow ? ", slow: " + *link.slow : ""));
    }
}

std::string throttleText(const SummaryThrottle& throttle) {
    return fmt::format("each rank to {:g} GFLOP/s, {:g} Gbit/s, {:g} us per message (0: no limit){}", throttle.gflops,
                       throttle.gbitPerSecond, throttle.latencyUs,
                       throttle.kept ? "" : "; this CPU was too slow for the throttle");
}

void printSummary(const RunPaths& paths, const RunSummary& summary) {
    std::string speed = rateNumber(summary.stepsPerSecond) + " steps/s";
    if (summary.samplesPerSecond > 0)  // zero if the samples that a watched script draws cannot be seen
        speed += ", " + rateNumber(summary.samplesPerSecond) + " samples/s over the whole run";
    row("name", summary.name);
    row("state", textOf(summary.state) + ": " + summary.verdict);
    if (summary.firstFailedRank) row("first failed", "rank " + std::to_string(*summary.firstFailedRank));
    for (const std::string& line : summary.lastLines) std::printf("  | %s\n", terminalText(line).c_str());
    row("ranks", std::to_string(summary.worldSize));
    row("device", summary.whyDevice);
    row("backend", summary.whyBackend);
    if (summary.bitsDependOn) row("bits depend on", textOf(*summary.bitsDependOn));
    if (summary.bitsDependOn && summary.bitsDependOn->warning) row("warning", *summary.bitsDependOn->warning);
    row("trained", fmt::format("{} steps in {:.2f} s ({})", summary.steps, summary.trainSeconds, speed));
    if (summary.throttle) row("throttled", throttleText(*summary.throttle));
    if (summary.links) printLinks(*summary.links);
    printMetrics(summary);
    printShards(paths, summary);
    printSamples(paths, summary);
    printFindings(summary.findings);
    if (summary.timeVerdict && !summary.timeVerdict->empty()) row("time", *summary.timeVerdict);
    if (summary.droppedTelemetrySteps + summary.droppedTelemetryEvents > 0)
        row("warning", "the ranks could not send " +
                           droppedText(summary.droppedTelemetrySteps, summary.droppedTelemetryEvents) +
                           " of their telemetry in time: curves, traces and checks have gaps");
    for (const SummaryClock& one : summary.clocks) row("clock", clockText(one.host, one.clock));
    row("run directory", paths.directory.string());
}

// Returns the state of a run without a summary, as text.
std::string lifeText(const RunPaths& paths) {
    switch (runLife(paths.directory)) {
        case RunLife::kLive:
            return "is still running";
        case RunLife::kUnknown:
            return "has no summary and belongs to " + otherOwner(paths.directory).value_or("another user") +
                   ": its state cannot be determined";
        case RunLife::kOver:
            break;
    }
    return "has no summary: its supervisor was killed";
}

int showCommand(const std::string& directory, bool asJson) {
    const Result<RunPaths> paths = openRunDirectory(directory);
    if (!paths) return reportProblems({paths.problem()});
    std::error_code ignored;
    if (!std::filesystem::exists(paths.value().summary(), ignored)) {
        return reportProblems(
            {{directory, lifeText(paths.value()), "ringsidectl attach " + directory + " shows its data"}});
    }
    if (asJson) {
        const Result<Json> file = readJsonFile(paths.value().summary());
        if (!file) return reportProblems({file.problem()});
        std::cout << terminalJson(file.value().dump(2)) << '\n';
        return 0;
    }
    const Result<RunSummary> summary = readRunSummary(paths.value().summary());
    if (!summary) return reportProblems({summary.problem()});
    printSummary(paths.value(), summary.value());
    return 0;
}

}  // namespace

void addShowCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("show", "Shows the result of a run: state, verdict, speed, metrics");
    command->footer(kShowFooter);
    auto directory = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    command->add_option("RUN_DIR", *directory, "The run directory")->required();
    command->add_flag("--json", *json, "Print summary.json");
    command->callback(
        [directory, json, &action] { action = [directory, json] { return showCommand(*directory, *json); }; });
}

}  // namespace ringside
