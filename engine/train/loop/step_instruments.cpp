// SPDX-License-Identifier: Apache-2.0
#include "train/loop/step_instruments.h"

#include <algorithm>
#include <string>

#include "train/observe/index_report.h"
#include "train/observe/inspected_steps.h"
#include "train/observe/link_report.h"
#include "train/observe/progress_report.h"
#include "train/observe/throttle.h"
#include "train/observe/timed_saves.h"
#include "train/observe/trace_report.h"
#include "train/observe/traffic_report.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxTracedCollectives = 1024;  // maximum number of traced collectives per step

// Returns the number of parameters that this rank's optimizer updates.
std::int64_t ownParameters(const Mesh& mesh, const Strategy& strategy) {
    std::int64_t all = 0;
    for (const Parameter* one : strategy.wholeParameters()) all += one->shape.count();
    return all / std::max<std::int64_t>(1, mesh.shard * mesh.pipeline);
}

}  // namespace

StepInstruments::StepInstruments(const TrainerDependencies& dependencies, const DataShare& share)
    : m_dependencies(dependencies),
      m_share(share),
      m_collectives(dependencies.observer.progress().phase, kMaxTracedCollectives),
      m_tracedCommunicator(dependencies.communicator, &m_collectives),
      m_phaseThrottle(DeviceThrottle(dependencies.config, share.subject().interface), dependencies.communicator.rank(),
                      dependencies.observer.progress().phase),
      m_replicas({.config = dependencies.config,
                  .backend = dependencies.backend,
                  .observer = dependencies.observer,
                  .layout = share.layout()}),
      m_tracer({.trace = dependencies.config.telemetry.trace,
                .rank = dependencies.communicator.rank(),
                .worldSize = dependencies.communicator.size()},
               dependencies.observer.progress().phase, m_collectives) {}

void StepInstruments::addCallbacksTo(StrategyDependencies& strategy) {
    strategy.log = [this](const std::string& text) {
        m_dependencies.observer.onEvent(
            LogLine{m_dependencies.communicator.rank(), LogLevel::kInfo, text, m_dependencies.observer.nowUs()});
    };
    strategy.onPhaseEnd = [this](Phase phase) { m_steps.phaseEnded(phase); };
    strategy.watch = &m_layerProgress;
    strategy.onLocalGradient = m_replicas.localGradientCallback();
    strategy.onAction = [this](const PipelineAction& action, double share) { reportAction(action, share); };
    strategy.trace = &m_collectives;
}

// Adds the observers in the order in which they are called at the start of a step. At the end of a phase and of a step,
// they are called in the reverse order: reports are sent before the pause in which the user reads them, and the trace
// is ended last.
void StepInstruments::addObservers(const Observed& observed) {
    TrainerObserver& observer = m_dependencies.observer;
    const int rank = m_dependencies.communicator.rank();
    const RankLayout& layout = m_share.layout();
    m_control = &observed.control;
    m_replicas.setStrategy(observed.strategy);
    m_tracer.setPlannedShares(observed.strategy.plannedShares());

    m_steps.add<TraceReport>(m_tracer, observed.control, observer, rank == 0);
    if (rank == 0) m_steps.add<TimedSaves>(observed.checkpoints, observed.batches, observed.control);
    m_steps.add<InspectedSteps>(m_replicas, observed.control);
    m_steps.addReference(observed.control);
    m_steps.add<Throttle>(Throttle::Dependencies{m_phaseThrottle, m_dependencies.config.stepPitfalls,
                                                 m_dependencies.control, observer, rank,
                                                 ownParameters(layout.mesh, observed.strategy)});
    m_steps.add<LinkReport>(m_dependencies.communicator, observer);
    m_steps.addReference(m_replicas);
    m_stepReport = &m_steps.add<StepReport>(StepReport::Dependencies{
        m_dependencies, layout, observed.loss, observed.strategy, observed.batches, m_tracer, observed.checkpoints});
    m_steps.add<IndexReport>(layout.isFirstPipelineRank() ? m_dependencies.reportSamples : SampleReport::kNever,
                             layout.dataRank(), observer);
    m_steps.add<TrafficReport>(rank, m_share.plan().maxBatch, observed.strategy, observer);
    m_steps.add<ProgressReport>(observer.progress());
    if (layout.mesh.pipeline == 1)
        m_layerProgress.reportThrough(observed.control, m_dependencies.config.training.accumulateSteps);
}

// In slow motion and when the user advances phase by phase, reports the pipeline action that the rank executes.
void StepInstruments::reportAction(const PipelineAction& action, double share) {
    if (!m_control->reportsLayersAndActions()) return;
    const Phase phase = action.work == PipelineWork::kForward ? Phase::kForward : Phase::kBackward;
    m_control->reportLayerOrAction(phase, -1, action.text(),
                                   share / static_cast<double>(m_dependencies.config.training.accumulateSteps));
}

}  // namespace ringside
