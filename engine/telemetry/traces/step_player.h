// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "telemetry/traces/step_plan.h"

namespace ringside {

// Replays plans of steps, one after the other. Each rank begins a step when it has ended the previous one. Times are
// nanoseconds.
class StepPlayer {
  public:
    explicit StepPlayer(std::size_t ranks) : m_now(ranks, 0.0) {}

    // Sets the times at which the ranks begin the first step.
    void startAt(const std::vector<double>& begins) { m_now = begins; }
    // Adds the time that passes between two steps to each rank's time. gaps: times by rank; if there are fewer gaps
    // than ranks, the gaps are repeated.
    void pause(const std::vector<double>& gaps) {
        for (std::size_t rank = 0; rank < m_now.size(); ++rank) m_now[rank] += gaps[rank % gaps.size()];
    }
    // Writes a trace of each rank into `traces` from now on, without step number and epoch. Each play() replaces the
    // previous traces. If `traces` is null, stops writing traces.
    void record(std::vector<StepTrace>* traces) { m_traces = traces; }

    // Replays one step. Returns the time at which the last rank has ended it.
    double play(const StepPlan& step);

  private:
    bool advance(std::size_t rank);
    bool serve(std::size_t rank);
    void note(std::size_t rank, Phase phase, double ns);
    void recordWait(std::size_t rank, const PlanItem& item, double ended);
    bool receive(std::size_t rank, const PlanItem& item);
    void recordCollective(std::size_t rank, std::size_t collective, double readyNs, double arrivedNs);

    // A requested collective of a rank that has not ended yet.
    struct Turn {
        std::size_t collective = 0;
        double readyNs = 0;
        double arrivedNs = -1;
    };
    const StepPlan* m_step = nullptr;
    std::vector<StepTrace>* m_traces = nullptr;
    std::vector<double> m_now;                 // time of each rank
    std::vector<double> m_began;               // begin of the step, by rank
    std::vector<std::size_t> m_at;             // index of the next action, by rank
    std::vector<double> m_free;                // end of the last ended collective of each rank
    std::vector<std::vector<Turn>> m_turns;    // requested collectives in order, by rank
    std::vector<std::vector<double>> m_ended;  // end of each collective by rank; -1: the collective has not ended
    std::vector<int> m_arrived;                // number of ranks that have arrived at each collective
    std::vector<int> m_expected;               // number of ranks that each collective waits for
    std::vector<double> m_last;                // latest arrival at each collective
    std::vector<double> m_sent;                // time of sending of each message; -1: not sent yet
};

}  // namespace ringside
