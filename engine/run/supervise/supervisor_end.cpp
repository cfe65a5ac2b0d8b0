// SPDX-License-Identifier: Apache-2.0
// Start and end of a run's record: the run line, the evidence and the outcome.
#include <algorithm>

#include "run/supervise/supervisor.h"

namespace ringside {

RunStarted Supervisor::runLine() const {
    RunStarted line;
    line.name = m_run.config.name;
    line.runDirectory = m_paths.directory.string();
    line.worldSize = static_cast<int>(m_run.config.parallel.worldSize);
    line.backend = textOf(m_run.compute.backend);
    line.whyBackend = m_run.compute.whyBackend;
    line.device = textOf(m_run.compute.device);
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

RunEvidence Supervisor::evidence() const {
    RunEvidence run;
    for (const auto& rank : m_ranks) {
        run.ranks.push_back({rank->rank(), rank->end(), rank->endOrder, rank->said});
    }
    run.checkpoint = newestCheckpoint(m_paths.directory);
    run.steps = std::max(m_recorder.stepsDone(), run.checkpoint ? run.checkpoint->step : 0);
    const std::int64_t epochs = m_recorder.data().epochs();  // with changes made while the run was live
    run.plannedEpochs = m_run.plannedEpochs();
    run.plannedSteps = m_run.plannedSteps();
    if (m_run.config.training.maxSteps == 0) {
        run.plannedSteps += (epochs - run.plannedEpochs) * m_run.stepsPerEpoch;
        run.plannedEpochs = epochs;
    }
    run.stopRequested = m_stops.isRequested();
    run.cutShort = m_cutShort;
    run.nothingTrained = m_stoppedLoading;
    run.directoryLost = m_directoryLost;
    run.fault = m_verdict;
    return run;
}

RunEnded Supervisor::conclusion() const {
    RunEnded end = outcomeOf(evidence());
    end.timeUs = nowUs();
    end.lastLines = m_lastLines;
    end.isMisuse = m_verdict && m_verdict->isMisuse;
    const RunConfig& config = m_run.config;
    if (config.stepPitfalls.earlyExit && end.firstFailedRank == config.parallel.worldSize - 1)
        end.verdict +=
            "; pitfalls.early_exit made it stop one step before the others, which wait for it in their next "
            "all-reduce: in PyTorch, give every rank the same number of batches or use the Join context";
    return end;
}

// Writes a provisional summary, which finish() replaces. A launcher such as mpirun kills this process about a second
// after a rank has died or after its own SIGTERM, before finish() can run.
void Supervisor::writeSummaryEarly(RunEnded end) {
    if (!m_options.mayBeKilled) return;
    end.timeUs = nowUs();
    try {
        m_recorder.flush();
        m_recorder.writeSummary(std::move(end));
    } catch (const IoError&) {  // finish() tries again, and reports the failure
        return;
    }
}

RunEnded Supervisor::finish() {
    for (auto& rank : m_ranks) {
        if (!rank->end()) rank->poll();
    }
    checkDirectory();
    const RunEnded end = m_recorder.finish(conclusion());
    if (m_options.onChange) m_options.onChange(m_recorder.data(), kEndChanged);
    return end;
}

}  // namespace ringside
