// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/earlier_runs.h"

#include <filesystem>
#include <string>

#include "config/run_config.h"
#include "models/run_model.h"
#include "run/read/load_run.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxRuns = 16;  // maximum number of earlier runs that are read, each resumed by the next

// Returns the directory of the run from which this run was resumed. The setting training.resume contains the path of
// this directory or of a checkpoint in it. Empty if the run was not resumed from another run.
fs::path directoryOf(const RunStarted& started) {
    const Result<RunConfig> config = RunConfig::parse(started.config, "run");
    if (!config || config.value().training.resume.empty() || started.stepsBefore == 0) return {};
    const fs::path named = config.value().training.resume;
    std::error_code ignored;
    for (const fs::path& one : {named, named.parent_path().parent_path()}) {
        if (fs::is_regular_file(RunPaths(one).telemetry(), ignored)) return one;
    }
    return {};
}

std::vector<std::shared_ptr<const RunData>> readChain(const RunStarted& latest, const LatestWork::Stop& stop) {
    std::vector<std::shared_ptr<const RunData>> chain;
    const RunStarted* next = &latest;
    while (!stop && static_cast<int>(chain.size()) < kMaxRuns) {
        const fs::path directory = directoryOf(*next);
        if (directory.empty()) break;
        std::shared_ptr<const RunData> run =
            loadRun(RunPaths(directory), Curves::kKept, [&stop] { return stop.load(); });
        // Stops at a run that begins at the same or a later step than the run that was resumed from it. Such a run is
        // not the earlier run, or the directories form a cycle.
        if (!run || run->started()->stepsBefore >= next->stepsBefore) break;
        chain.insert(chain.begin(), run);
        next = &*chain.front()->started();
    }
    return chain;
}

}  // namespace

EarlierRuns::EarlierRuns(RunModel& run, QObject* parent) : QObject(parent), m_run(run) {
    connect(&run, &RunModel::changed, this, &EarlierRuns::refresh);
    connect(&run, &RunModel::restarted, this, [this] {
        m_work.cancel();
        m_runs.clear();
        m_looked = false;
        Q_EMIT changed();
    });
}

void EarlierRuns::refresh() {
    if (m_looked || !m_run.data().started()) return;
    m_looked = true;
    if (m_run.data().started()->stepsBefore == 0) return;
    m_work.requestLatest(
        this, [started = *m_run.data().started()](const LatestWork::Stop& stop) { return readChain(started, stop); },
        [this](const std::vector<std::shared_ptr<const RunData>>& runs) {
            m_runs = runs;
            Q_EMIT changed();
        });
}

}  // namespace ringside
