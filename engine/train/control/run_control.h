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
#include "train/parts/step_observer.h"
#include "train/parts/trainer_observer.h"

namespace ringside {

// Executes the control commands of a live run on every rank at the same point of the training: pauses and slow motion
// here, everything else through Actions.
//
// While ranks are paused, rank 0 waits for commands and joins a collective several times a second; the other ranks
// wait in that collective. No wait reaches the timeout, so a pause of any length does not look like a hang.
class RunControl final : public StepObserver {
  public:
    // Functions that execute control commands on the training. Each is called on every rank at the same point: between
    // two steps or validation batches; traceEvery and replicas also within a step.
    struct Actions {
        std::function<void(double)> setLearningRate;
        // changes the number of epochs; returns the number in effect, which includes at least the current epoch
        std::function<std::int64_t(std::int64_t)> setEpochs;
        std::function<void()> saveCheckpoint;
        std::function<void()> changed;                 // called after an entry was added to changes()
        std::function<void(std::int64_t)> record;      // called to record this number of steps in detail
        std::function<void(std::int64_t)> traceEvery;  // called to trace every n-th step
        std::function<void(std::int64_t)> replicas;    // called to report the gradients of this number of steps
    };
    struct Dependencies {
        Communicator& communicator;
        ControlSource& source;  // source of the commands; while the run is paused, rank 0 waits for commands from this
                                // source
        TrainerObserver& observer;
        // interval in which paused ranks poll for commands; far below the timeout of a collective
        std::chrono::microseconds pollInterval{200'000};
    };
    // Value that marks a checkpoint command as posted by the training itself; such a command is not reported.
    static constexpr double kPostedByTraining = 1;
    // Position of the training at which a command is executed. Reports of commands contain this position.
    struct Position {
        std::int64_t step = 0;  // number of finished steps
        std::int64_t epoch = 0;
    };

    RunControl(const Dependencies& dependencies, Actions actions)
        : m_dependencies(dependencies),
          m_actions(std::move(actions)),
          m_agreement(dependencies.communicator, dependencies.source) {}

    // Adds a command as if this run had received it from the user. Call on rank 0 only.
    void post(ControlCommand command) { m_agreement.post(command); }
    // Returns true if commands are pending. Pass the result to the next step as StepRequest::signal.
    bool hasPendingCommands() const { return m_agreement.hasPendingCommands(); }

    void beginStep(StepPosition position) override;
    // Pauses the rank at the end of a phase if a pause is due. All ranks call this function at the same points of a
    // step.
    void phaseEnded(Phase phase, StepPosition /*position*/) override {
        if ((m_onePhase || m_showsPhases) && phase != Phase::kOptimizer) [[unlikely]]
            pauseOrDelayAt(phase);
    }
    // Agrees with the other ranks on the commands to execute after the step.
    void endStep(const FinishedStep& step) override;
    // Executes the agreed commands, then blocks while the run is paused. Returns false if the training must stop. Call
    // after endStep().
    bool executeAfterStep();
    // True if the rank must report each layer or pipeline action of a pass and sleep for its share of the step's time.
    bool reportsParts() const { return m_insideStep && (m_onePhase || m_showsPhases); }
    // Reports that the rank starts layer `layer` (-1: none) or the action `action` of a pipeline's schedule, and sleeps
    // for the fraction `share` of the time that slow motion gives to a step's forward and backward pass. Call only if
    // reportsParts().
    void reportPart(Phase phase, int layer, const std::string& action, double share);
    // Agrees on commands and executes them between two validation batches. Returns false if the training must stop.
    bool executeBetweenBatches(Position position);

    // True if a pause is due in or after the current step.
    bool isPauseDue() const { return m_onePhase || m_stepsLeft == 1; }
    // True if a person watches the next step: in slow motion, or advancing by single steps or phases. Each such step is
    // traced.
    bool isWatched() const { return m_onePhase || m_stepsLeft > 0 || m_showsPhases; }
    // True if the ranks report details of the step while it runs: if a pause is due in the step or after it, or if the
    // run is in slow motion. In slow motion, at most kMaxPerSecond steps a second are reported in detail.
    bool reportsDetails(std::int64_t step) const {
        constexpr double kMaxPerSecond = 2;
        if (isPauseDue()) return true;
        return m_showsPhases && step % static_cast<std::int64_t>(std::ceil(m_rate / kMaxPerSecond)) == 0;
    }

    // True if no pause, slow motion, single step or command is due, so that the next step can begin before the current
    // step ends.
    bool mayRunAhead() const {
        return !m_paused && !m_stop && !isWatched() && m_rate <= 0 && m_agreed.empty() && m_afterStep.empty();
    }

    // Returns all changes that control commands made to the training, to be stored in checkpoints.
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
    // Blocks while the run is paused or until slow motion allows the next phase. after: name of the last finished
    // phase. state: state of the rank after the pause.
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
    std::int64_t m_stepsLeft = 0;  // number of steps until a pause; 0: no pause is scheduled
    double m_rate = 0;             // maximum number of steps per second; 0: full speed
    bool m_showsPhases = false;    // true if the rate is so low that each phase of a step is shown
    Clock::time_point m_due{};     // earliest start of the next phase or step in slow motion
    Clock::time_point m_stepBegan{};
    std::vector<ControlCommand> m_afterStep;
    std::vector<ControlChange> m_changes;
};

}  // namespace ringside
