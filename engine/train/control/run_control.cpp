// SPDX-License-Identifier: Apache-2.0
#include "train/control/run_control.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/errors/errors.h"
#include "telemetry/data/run_pauses.h"

namespace ringside {

namespace {

// Phases at whose ends ranks may pause, in the order of a step. In slow motion, each of them takes the same share of
// the step.
constexpr std::array kSlowPhases{Phase::kDataWait, Phase::kForward, Phase::kBackward, Phase::kMoving,
                                 Phase::kOptimizer};

std::size_t numberOf(Phase phase) {
    const auto found = std::ranges::find(kSlowPhases, phase);
    RINGSIDE_ASSERT(found != kSlowPhases.end());
    return static_cast<std::size_t>(found - kSlowPhases.begin());
}

// Returns the next phase at whose end ranks may pause. `phase` must be such a phase, but not the optimizer phase, which
// is the last one.
Phase following(Phase phase) {
    return kSlowPhases.at(numberOf(phase) + 1);
}

// Returns the share of the step's time in slow motion that has passed at the end of the phase.
double shareUntil(Phase phase) {
    return static_cast<double>(numberOf(phase) + 1) / kSlowPhases.size();
}

}  // namespace

void RunControl::beginStep(StepPosition position) {
    m_position = {position.step - 1, position.epoch};
    m_insideStep = true;
    if (m_rate > 0) m_stepBegan = Clock::now();
    if (m_showsPhases || m_onePhase) reportPhase(Phase::kDataWait);
}

void RunControl::reportPhase(Phase phase) {
    m_dependencies.observer.onEvent(
        PhaseReached{m_dependencies.communicator.rank(), m_position.step + 1, phase, m_dependencies.observer.nowUs()});
}

// Limits the sleeps in the passes of a step to one second in total, because a sleeping rank executes no command except
// a stop. A stop ends the sleep of each rank early. The ranks then agree at the end of the phase or step where they
// stop.
void RunControl::reportLayerOrAction(Phase phase, int layer, const std::string& action, double share) {
    constexpr double kMaxSeconds = 1;
    const double passes = shareUntil(Phase::kBackward) - shareUntil(Phase::kDataWait);
    const double seconds = m_onePhase || m_rate <= 0 ? kMaxSeconds : std::min(kMaxSeconds, passes / m_rate);
    TrainerObserver& observer = m_dependencies.observer;
    observer.onEvent(
        PhaseReached{m_dependencies.communicator.rank(), m_position.step + 1, phase, observer.nowUs(), layer, action});
    if (m_stop) return;
    const PhaseScope scope(observer.progress().phase, Phase::kPaused);
    m_dependencies.source.waitForStop(std::chrono::microseconds(std::llround(share * seconds * 1e6)));
}

// In slow motion, each phase of a step takes the same share of the step's duration, even a phase that normally takes
// microseconds.
void RunControl::pauseOrDelayAt(Phase phase) {
    const Phase next = following(phase);
    if (m_onePhase) {
        pauseAfter(phase);
        return reportPhase(next);
    }
    const double share = shareUntil(phase) / m_rate;
    m_due = m_stepBegan + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(share));
    pauseRanks(RankStage::kTraining, phase);
    reportPhase(next);
}

void RunControl::endStep(const FinishedStep& step) {
    for (const ControlCommand& command : m_agreement.agreeAfterStep(step.controlSignal)) m_agreed.push_back(command);
    m_position = {step.position.step, step.position.epoch};
    m_insideStep = false;
}

bool RunControl::executeAfterStep() {
    const bool ordered = m_onePhase || (m_stepsLeft > 0 && --m_stepsLeft == 0);
    if (ordered) {
        m_onePhase = false;
        m_paused = true;
    }
    for (const ControlCommand& command : std::exchange(m_afterStep, {})) executeBetweenSteps(command);
    executeCommands(std::exchange(m_agreed, {}));
    if (m_rate > 0)
        m_due = m_stepBegan + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / m_rate));
    if (m_paused || m_rate > 0) pauseRanks(RankStage::kTraining, Phase::kOptimizer);
    return !m_stop;
}

bool RunControl::executeBetweenBatches(Position position) {
    m_position = position;
    executeCommands(m_agreement.agreeWithoutStep());
    m_due = {};
    if (m_paused) pauseRanks(RankStage::kValidating, Phase::kValidation);
    return !m_stop;
}

void RunControl::pauseAfter(Phase phase) {
    m_due = {};
    m_onePhase = false;
    m_paused = true;
    pauseRanks(RankStage::kTraining, phase);
}

void RunControl::executeCommands(const std::vector<ControlCommand>& commands) {
    for (const ControlCommand& command : commands) executeNow(command);
}

void RunControl::executeNow(const ControlCommand& command) {
    switch (command.kind) {
        case ControlKind::kTraceEvery:
            return m_actions.traceEvery(static_cast<std::int64_t>(command.value));
        case ControlKind::kLearningRate:
        case ControlKind::kEpochs:
        case ControlKind::kCheckpoint:
        case ControlKind::kRecord:
            if (m_insideStep) return m_afterStep.push_back(command);
            return executeBetweenSteps(command);
        case ControlKind::kStop:
            m_stop = true;
            return;
        case ControlKind::kPause:
            m_paused = true;
            return;
        case ControlKind::kRate:
            m_rate = command.value;
            m_showsPhases = m_rate > 0 && m_rate <= RunPauses::kShowsPhasesAt;
            break;
        case ControlKind::kStep:
            m_paused = false;
            // The step in which the run is paused counts as the first of the requested steps.
            m_stepsLeft = static_cast<std::int64_t>(command.value);
            break;
        case ControlKind::kPhase:
            m_paused = false;
            m_onePhase = true;
            break;
        case ControlKind::kReplicas:  // a request to inspect replicas neither pauses nor resumes the run
            m_actions.replicas(static_cast<std::int64_t>(command.value));
            break;
        case ControlKind::kResume:
            m_paused = false;
            m_stepsLeft = 0;
            m_onePhase = false;
            break;
        case ControlKind::kRestart:
            RINGSIDE_ASSERT(false);  // unreachable: kRestart is recorded by the supervisor and never sent to a rank
    }
    report(command);
}

void RunControl::executeBetweenSteps(ControlCommand command) {
    if (command.kind == ControlKind::kRecord) m_actions.record(static_cast<std::int64_t>(command.value));
    if (command.kind == ControlKind::kCheckpoint) {
        m_actions.saveCheckpoint();
        if (command.value == kPostedByTraining) return;
    }
    if (command.kind == ControlKind::kLearningRate) m_actions.setLearningRate(command.value);
    if (command.kind == ControlKind::kEpochs)
        command.value = static_cast<double>(m_actions.setEpochs(static_cast<std::int64_t>(command.value)));
    if (command.kind == ControlKind::kLearningRate || command.kind == ControlKind::kEpochs) {
        m_changes.push_back({command.kind, command.value, m_position.step, m_position.epoch});
        m_actions.changed();
    }
    report(command);
}

std::chrono::microseconds RunControl::timeUntilDue() const {
    if (m_rate <= 0) return {};
    return std::max(std::chrono::microseconds{}, std::chrono::ceil<std::chrono::microseconds>(m_due - Clock::now()));
}

// Rank 0 decides when the pause ends. All ranks receive its decision in the same collective and leave the loop.
void RunControl::pauseRanks(RankStage stage, Phase after) {
    TrainerObserver& observer = m_dependencies.observer;
    const PhaseScope scope(observer.progress().phase, Phase::kPaused);
    bool wasReported = false;
    for (;;) {
        if (isPauseRequested() && !wasReported) {
            wasReported = true;
            observer.onState(RankStage::kPaused);
            report({ControlKind::kPause}, after);
        } else if (!isPauseRequested() && wasReported) {
            wasReported = false;
            observer.onState(stage);
            if (m_stop) report({ControlKind::kStop});
        }
        const auto left = timeUntilDue();
        if (isRankZero() && !m_stop && (m_paused || left.count() > 0))
            m_dependencies.source.waitForCommand(m_paused ? m_dependencies.pollInterval
                                                          : std::min(left, m_dependencies.pollInterval));
        const bool shouldResume = m_stop || (!m_paused && timeUntilDue().count() == 0);
        const StepAgreement::PauseDecision decision = m_agreement.shareDecision(shouldResume);
        if (decision.shouldResume) break;
        executeCommands(decision.commands);
    }
}

void RunControl::report(const ControlCommand& command, std::optional<Phase> after) {
    if (!isRankZero()) return;
    m_dependencies.observer.onEvent(Controlled{.command = command.kind,
                                               .value = command.value,
                                               .step = m_position.step,
                                               .epoch = m_position.epoch,
                                               .after = after,
                                               .timeUs = m_dependencies.observer.nowUs()});
}

}  // namespace ringside
