// SPDX-License-Identifier: Apache-2.0
#include "run/read/missing_end.h"

#include "base/errors/exit_code.h"
#include "run/read/recorded_config.h"
#include "run/read/run_life.h"
#include "run/read/run_summary.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

RunEnded failure(ExitCode code, std::string verdict) {
    RunEnded end;
    end.state = RunOutcome::kFailed;
    end.exitCode = static_cast<int>(code);
    end.verdict = std::move(verdict);
    return end;
}

RunEnded endOf(const RunSummary& summary) {
    RunEnded end;
    end.state = summary.state;
    end.exitCode = summary.exitCode;
    if (end.state == RunOutcome::kFailed && end.exitCode == 0) end.exitCode = static_cast<int>(ExitCode::kRankDied);
    end.firstFailedRank = summary.firstFailedRank.value_or(-1);
    end.verdict = summary.verdict;
    end.lastLines = summary.lastLines;
    end.steps = summary.steps;
    end.trainSeconds = summary.trainSeconds;
    end.stepsPerSecond = summary.stepsPerSecond;
    end.samplesPerSecond = summary.samplesPerSecond;
    end.timeUs = static_cast<std::int64_t>(summary.totalSeconds * 1e6);
    end.planVerified = summary.planVerified;
    end.auditedEpochs = summary.planAuditedEpochs;
    end.timeVerdict = summary.timeVerdict.value_or("");
    if (summary.planMismatch) end.planMismatch = summary.planMismatch->text;
    return end;
}

std::string killedText(const RunPaths& paths) {
    if (isOfWatchedScript(paths))
        return "the watcher of this script was killed, so the record ends here; the script may have continued without "
               "it: start the script again with ringsidectl watch to get a complete record";
    return "the supervisor of this run and its ranks were killed: ringsidectl run --resume " +
           paths.directory.string() + " continues from its last checkpoint, if there is one";
}

}  // namespace

// The supervisor writes summary.json before the end line. If summary.json exists, the run has ended, and the last
// telemetry lines were lost afterwards.
std::string missingEndLines(const RunPaths& paths) {
    const Result<RunSummary> summary = readRunSummary(paths.summary());
    if (!summary || summary.value().verdict.empty()) {
        return encode(failure(ExitCode::kRankDied, killedText(paths)));
    }
    const RunEnded end = endOf(summary.value());
    const LogLine warning{-1, LogLevel::kWarning,
                          "telemetry.jsonl of this run is damaged or truncated: steps may be missing; the outcome is "
                          "read from summary.json",
                          end.timeUs};
    return encode(warning) + encode(end);
}

std::string unknownEndLine(const RunPaths& paths) {
    return encode(failure(ExitCode::kBadConfiguration,
                          "the run in " + paths.directory.string() + " belongs to " +
                              otherOwner(paths.directory).value_or("another user") +
                              ": the state of the run cannot be determined, and the run has not written "
                              "anything for some time"));
}

}  // namespace ringside
