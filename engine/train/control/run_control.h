// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/checkpoint/control_change.h"
#include "telemetry/steps/phase.h"
#include "train/control/step_agreement.h"
#include "train/interfaces/step_observer.h"
#include "train/interfaces/trainer_observer.h"

namespace ringside {

// Executes the control commands of a live run on every rank at the same point of the training. Pauses and slow motion
// are implemented here; all other commands are passed to Actions.
//
// While ranks are paused, rank 0 waits for commands and takes part in a collective several times a second, in which the
// other ranks wait. Each wait is therefore shorter than its timeout, and even a long pause does not look like a hang.
class RunControl final : public StepObserver {
  public:
    // Functions that execute control commands. Each is called on every rank at the same point of the training: between
    // two steps or two validation batches. traceEvery and replicas may also be called within a step.
    struct Actions {
        std::function<void(double)> setLearningRate;
        // Changes the number of epochs. Returns the number that is now in effect: at least that of the current epoch.
        std::function<std::int64_t(std::int64_t)> setEpochs;
        std::function<void()> saveCheckpoint;
        std::function<void()> changed;  // called after an entry was added to changes()
        // called with the number of steps that are to be recorded in detail
        std::function<void(std::int64_t)> record;
        std::function<void(std::int64_t)> traceEvery;  // called with n to trace every n-th step
        // called with the number of steps whose gradients are to be reported
        std::function<void(std::int64_t)> replicas;
    };
    struct Dependencies {
        Communicator& communicator;
        ControlSource& source;  // source of the commands; while the run is paused, rank 0 waits for commands from it
        TrainerObserver& observer;
        // Interval at which paused ranks check for commands; must be much shorter than the timeout of a collective.
        std::chrono::microseconds pollInterval{200'000};
    };
    // Value of a checkpoint command that the training posts for a timed save. Such a command is not reported in
    // telemetry.
    static constexpr double kPostedByTraining = 1;
    // Position in the training at which a command is executed, for reports of commands.
    struct Position {
        std::int64_t step = 0;  // number of finished steps
        std::int64_t epoch = 0;
    };

    RunControl(const Dependencies& dependencies, Actions actions)
        : m_dependencies(dependencies),
          m_actions(std::move(actions)),
          m_agreement(dependencies.communicator, dependencies.source) {}

    // Adds a command as if the user had sent it. Call on rank 0 only.
    void post(ControlCommand command) { m_agreement.post(command); }
    // True if commands are pending. The caller passes the result to the next step as StepRequest::signal.
    bool hasPendingCommands() const { return m_agreement.hasPendingCommands(); }

    void beginStep(StepPosition position) override;
    // Pauses the rank at the end of a phase if a pause is due. All ranks call this function at the same points of a
    // step.
    void phaseEnded(Phase phase, StepPosition /*position*/) override {
        if ((m_onePhase || m_showsPhases) && phase != Phase::kOptimizer) [[unlikely]]
            pauseOrDelayAt(phase);
    }
    // Exchanges commands with the other ranks, so that all ranks execute the same commands after the step.
    void endStep(const FinishedStep& step) override;
    // Executes the exchanged commands, then blocks while the run is paused. Returns false if the training must stop.
    // Call after endStep().
    bool executeAfterStep();
    // True if this rank must call reportLayerOrAction() at each layer, or at each action of the pipeline schedule.
    bool reportsLayersAndActions() const { return m_insideStep && (m_onePhase || m_showsPhases); }
    // Reports that the rank starts layer `layer` (-1: none) or the pipeline action `action`. Then sleeps for the
    // fraction `share` of the time that slow motion assigns to the passes of a step. Call only if
    // reportsLayersAndActions() is true.
    void reportLayerOrAction(Phase phase, int layer, const std::string& action, double share);
    // Exchanges commands with the other ranks and executes them between two validation batches. Returns false if the
    // training must stop.
    bool executeBetweenBatches(Position position);

    // True if a pause is due in or after the current step.
    bool isPauseDue() const { return m_onePhase || m_stepsLeft == 1; }
    // True if the user watches the next step: in slow motion, or when advancing by single steps or phases. Each such
    // step is traced.
    bool isWatched() const { return m_onePhase || m_stepsLeft > 0 || m_showsPhases; }
    // True if the ranks report details of the step while it runs: if a pause is due in the step or after it, or in slow
    // motion. In slow motion, at most kMaxPerSecond steps per second are reported in detail.
    bool reportsDetails(std::int64_t step) const {
        constexpr double kMaxPerSecond = 2;
        if (isPauseDue()) return true;
        return m_showsPhases && step % static_cast<std::int64_t>(std::ceil(m_rate / kMaxPerSecond)) == 0;
    }

    // True if the next step may begin before the current step ends: no pause, slow motion, single step or command is
    // due.
    bool mayRunAhead() const {
        return !m_paused && !m_stop && !isWatched() && m_rate <= 0 && m_agreed.empty() && m_afterStep.empty();
    }

    // Returns all changes that control commands have made to the training. Checkpoints store them.
    const std::vector<ControlChange>& changes() const { return m_changes; }
    void restoreChanges(std::vector<ControlChange> changes) { m_changes = std::move(changes); }

  private:
    using Clock = std::chrono::steady_clock;

    void executeCommands(const std::vector<ControlCommand>& commands);
    void executeNow(const ControlCommand& command);
    void executeBetweenSteps(ControlCommand command);  // executes a command that is valid only between two steps
    void pauseOrDelayAt(Phase phase);
    void pauseAfter(Phase phase);
    void reportPhase(Phase phase);
    // Blocks while the run is paused, or until slow motion allows the next phase. stage: state of the rank after the
    // pause. after: last finished phase.
    void pauseRanks(RankStage stage, Phase after);
    bool isPauseRequested() const { return m_paused && !m_stop; }
    std::chrono::microseconds timeUntilDue() const;
    bool isRankZero() const { return m_dependencies.communicator.rank() == 0; }
    void report(const ControlCommand& command, std::optional<Phase> after = {});

    Dependencies m_dependencies;
    Actions m_actions;
    StepAgreement m_agreement;
    std::vector<ControlCommand> m_agreed;  // commands to execute after the current step
    Position m_position;
    bool m_insideStep = false;
    bool m_stop = false;
    bool m_paused = false;
    bool m_onePhase = false;
    // number of steps to train before the next pause; 0: no pause after a number of steps
    std::int64_t m_stepsLeft = 0;
    double m_rate = 0;           // maximum number of steps per second; 0: full speed
    bool m_showsPhases = false;  // true if slow motion is slow enough to show each phase of a step
    Clock::time_point m_due{};   // earliest time at which the next phase or step may start in slow motion
    Clock::time_point m_stepBegan{};
    std::vector<ControlCommand> m_afterStep;
    std::vector<ControlChange> m_changes;
};

}  // namespace ringside
