// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/checkpoint/control_change.h"
#include "telemetry/steps/phase.h"
#include "train/control/step_agreement.h"
#include "train/parts/trainer_observer.h"

namespace ringside {

// Obeys what a live run is told, on every rank at the same place: holds the ranks while they are paused or step slowly,
// and hands the rest to the training. While all hold, rank 0 sleeps until it is told something and the others sleep in
// a collective that rank 0 joins several times a second, so that nobody takes them for hung, however long it lasts.
class RunControl {
  public:
    // What only the training can do; called on every rank, between two steps.
    struct Actions {
        std::function<void(double)> setLearningRate;
        std::function<void(std::int64_t)> setEpochs;
        std::function<void()> saveCheckpoint;
        std::function<void()> changed;                 // changes() has another entry
        std::function<void(std::int64_t)> record;      // so many steps in detail
        std::function<void(std::int64_t)> traceEvery;  // so many-th step
        std::function<void(std::int64_t)> replicas;    // so many steps' gradients are told
    };
    struct Parts {
        StepAgreement& agreement;
        ControlSource& source;  // rank 0's is waited for
        TrainerObserver& observer;
        bool isRankZero = false;
        int rank = 0;
        std::chrono::microseconds lookEvery{200'000};  // far below the deadline of a collective
    };
    // As value of a checkpoint that the training itself wished for: nobody told the run.
    static constexpr double kOwnWish = 1;
    // Where the training is; read when something is reported.
    struct Place {
        std::int64_t step = 0;  // steps done
        std::int64_t epoch = 0;
    };

    RunControl(const Parts& parts, Actions actions) : m_parts(parts), m_actions(std::move(actions)) {}

    void beginStep(Place place);  // before its first phase
    void passed(Phase phase) {    // within a step, on all ranks at the same places
        if (m_onePhase || m_showsPhases) [[unlikely]]
            reach(phase);
    }
    // Whether each part of a pass is told, and has a share of the time.
    bool showsParts() const { return m_insideStep && (m_onePhase || m_showsPhases); }
    // Within a step that is shown: the rank comes to a layer (-1: none) or an action of a pipeline's schedule, and
    // rests there. share: of the time of the two passes.
    void showPart(Phase phase, int layer, const std::string& action, double share);
    // Obeys the commands that the ranks agreed on after the step, then holds the ranks while they are paused. False:
    // stop.
    bool endStep(Place place, const std::vector<ControlCommand>& commands);
    // Between two batches of a validation. False: stop.
    bool betweenBatches(Place place);

    bool isHeldSoon() const { return m_onePhase || m_stepsLeft == 1; }  // in the step under way, or behind it
    // True if the next step is made by hand or in slow motion: each such step is traced.
    bool isWatched() const { return m_onePhase || m_stepsLeft > 0 || m_showsPhases; }
    // Whether the step is watched while it happens: ranks stop in it or behind it, or go slowly; then so many a second
    // as can be told of.
    bool isShown(std::int64_t step) const {
        constexpr double kMostPerSecond = 2;
        if (isHeldSoon()) return true;
        return m_showsPhases && step % static_cast<std::int64_t>(std::ceil(m_rate / kMostPerSecond)) == 0;
    }

    // What changed the training so far, for checkpoints.
    const std::vector<ControlChange>& changes() const { return m_changes; }
    void restoreChanges(std::vector<ControlChange> changes) { m_changes = std::move(changes); }

  private:
    using Clock = std::chrono::steady_clock;

    void obey(const std::vector<ControlCommand>& commands);
    void obeyNow(const ControlCommand& command);
    void act(const ControlCommand& command);  // what waits for the end of a step
    void reach(Phase phase);
    void holdAfter(Phase phase);
    void showPhase(Phase phase);
    // after: what was done last; state: of the rank, when it goes on.
    void hold(const char* state, std::string_view after);
    bool holds() const { return m_paused && !m_stop; }
    std::chrono::microseconds untilDue() const;
    void report(const ControlCommand& command, std::string_view after = {});

    Parts m_parts;
    Actions m_actions;
    Place m_place;
    bool m_insideStep = false;
    bool m_stop = false;
    bool m_paused = false;
    bool m_onePhase = false;
    std::int64_t m_stepsLeft = 0;  // then paused; 0: no such order
    double m_rate = 0;             // steps a second at most; 0: full speed
    bool m_showsPhases = false;    // so slow that each phase of a step gets a part of its time
    Clock::time_point m_due{};     // when to go on in slow motion
    Clock::time_point m_stepBegan{};
    std::vector<ControlCommand> m_afterStep;
    std::vector<ControlChange> m_changes;
};

}  // namespace ringside
