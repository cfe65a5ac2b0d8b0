// SPDX-License-Identifier: Apache-2.0
// The supervisor's first and last lines: what the run is, and what it came to.
#include <cstdio>

#include "run/supervise/supervisor.h"

namespace ringside {
namespace {

bool endedWell(const RankLink& rank) {
    const auto& end = rank.end();
    return end && !end->signalled && (end->code == 0 || end->code == static_cast<int>(ExitCode::kStopped));
}

}  // namespace

RunStarted Supervisor::runLine() const {
    RunStarted line;
    line.name = m_run.config.name;
    line.runDirectory = m_paths.directory.string();
    line.worldSize = static_cast<int>(m_run.config.parallel.worldSize);
    line.backend = m_run.compute.backend;
    line.whyBackend = m_run.compute.whyBackend;
    line.device = m_run.compute.device;
    line.whyDevice = m_run.compute.whyDevice;
    line.wantedBackend = m_run.wantedBackend;
    line.wantedDevice = m_run.wantedDevice;
    line.trainingSamples = m_run.trainingSamples;
    line.validationSamples = m_run.validationSamples;
    line.stepsPerEpoch = m_run.stepsPerEpoch;
    line.epochs = m_run.config.training.epochs;
    line.batchSize = m_run.config.loader.batchSize;
    line.stepsBefore = m_run.stepsBefore;
    line.startedUnixMs =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count() -
        nowUs() / 1000;
    line.config = m_run.config.toText();
    return line;
}

RunEnded Supervisor::conclusion() const {
    RunEnded end;
    end.timeUs = nowUs();
    if (!m_verdict) {
        normalEnd(end);
        return end;
    }
    end.state = "failed";
    end.exitCode = static_cast<int>(m_verdict->code);
    end.firstFailedRank = m_verdict->firstFailedRank;
    end.verdict = m_verdict->text;
    end.lastLines = m_lastLines;
    return end;
}

void Supervisor::normalEnd(RunEnded& end) const {
    const std::int64_t steps = m_recorder.stepsDone();
    bool stoppedItself = false;
    bool allWell = true;
    for (const auto& rank : m_ranks) {
        allWell = allWell && endedWell(*rank);
        stoppedItself = stoppedItself || (endedWell(*rank) && rank->end()->code != 0);
    }
    if (m_stopRequested || stoppedItself) {
        end.state = "stopped";
        end.exitCode = static_cast<int>(ExitCode::kStopped);
        end.verdict = "stopped by request after " + std::to_string(steps) + " of " +
                      std::to_string(m_recorder.data().totalSteps()) + " steps";
        if (!allWell && !m_stoppedLoading)
            end.verdict += "; the ranks had to be terminated, the last weights were not saved";
        const bool wasDone = allWell && !stoppedItself;
        if (!wasDone) return;
    }
    end.state = "finished";
    end.exitCode = 0;
    const std::int64_t epochs = m_run.config.training.epochs;
    end.verdict = "finished " + std::to_string(epochs) + (epochs == 1 ? " epoch in " : " epochs in ") +
                  std::to_string(steps) + (steps == 1 ? " step" : " steps");
}

RunEnded Supervisor::finish() {
    for (auto& rank : m_ranks) {
        if (!rank->end()) rank->poll();
    }
    const RunEnded end = m_recorder.finish(conclusion());
    if (m_options.onChange) m_options.onChange(m_recorder.data(), kEndChanged);
    return end;
}

}  // namespace ringside
