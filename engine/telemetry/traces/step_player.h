// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "telemetry/traces/step_plan.h"

namespace ringside {

// Computes when the actions of planned steps take place (replay), one step after the other. Each rank begins a step
// when it has ended its previous step. Times are in nanoseconds.
class StepPlayer {
  public:
    explicit StepPlayer(std::size_t ranks) : m_now(ranks, 0.0) {}

    // Sets the time at which each rank begins the first step.
    void startAt(const std::vector<double>& begins) { m_now = begins; }
    // Delays the next step of each rank by the given time. gaps: delay of each rank; if the list is shorter than the
    // number of ranks, it is repeated.
    void pause(const std::vector<double>& gaps) {
        for (std::size_t rank = 0; rank < m_now.size(); ++rank) m_now[rank] += gaps[rank % gaps.size()];
    }
    // From now on, each play() writes a trace of each rank into `traces`, without step number and epoch, and replaces
    // the previous traces. Null: no traces are written.
    void record(std::vector<StepTrace>* traces) { m_traces = traces; }

    // Replays one step. Returns the time at which the last rank ends the step.
    double play(const StepPlan& step);

  private:
    bool advance(std::size_t rank);
    bool advanceCollectives(std::size_t rank);
    void note(std::size_t rank, Phase phase, double ns);
    void recordWait(std::size_t rank, const PlanItem& item, double ended);
    bool receive(std::size_t rank, const PlanItem& item);
    void recordCollective(std::size_t rank, std::size_t collective, double readyNs, double arrivedNs);

    // Collective that the rank has requested and that has not ended yet.
    struct Turn {
        std::size_t collective = 0;
        double readyNs = 0;
        double arrivedNs = -1;
    };
    const StepPlan* m_step = nullptr;
    std::vector<StepTrace>* m_traces = nullptr;
    std::vector<double> m_now;               // current time of each rank
    std::vector<double> m_began;             // time at which each rank began the step
    std::vector<std::size_t> m_at;           // index of the next action of each rank
    std::vector<double> m_free;              // time at which the last finished collective of each rank ended
    std::vector<std::vector<Turn>> m_turns;  // requested collectives of each rank, in order
    // for each rank, the time at which each of its collectives ended; -1: not ended yet
    std::vector<std::vector<double>> m_ended;
    std::vector<int> m_arrived;   // number of ranks that have arrived at each collective
    std::vector<int> m_expected;  // number of ranks that take part in each collective
    std::vector<double> m_last;   // latest arrival of a rank at each collective
    std::vector<double> m_sent;   // time at which each message was sent; -1: not sent yet
};

}  // namespace ringside
