// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "telemetry/data/step_plan.h"

namespace ringside {

// Plays steps one after the other; every rank begins one when it has ended the one before.
class StepPlayer {
  public:
    explicit StepPlayer(std::size_t ranks) : m_now(ranks, 0.0) {}

    void startAt(const std::vector<double>& begins) { m_now = begins; }
    void pause(const std::vector<double>& gaps) {
        for (std::size_t rank = 0; rank < m_now.size(); ++rank) m_now[rank] += gaps[rank % gaps.size()];
    }
    // What is played from now on is written there as traces of each rank, but for its numbers; null: nowhere.
    void record(std::vector<StepTrace>* traces) { m_traces = traces; }

    // Nanoseconds at which the last rank has ended it.
    double play(const StepPlan& step);

  private:
    bool advance(std::size_t rank);
    bool serve(std::size_t rank);
    void note(std::size_t rank, Phase phase, double ns);
    void noteWait(std::size_t rank, const PlanItem& item, double ended);
    bool receive(std::size_t rank, const PlanItem& item);
    void noteCollective(std::size_t rank, std::size_t collective, double readyNs, double arrivedNs);

    struct Turn {
        std::size_t collective = 0;
        double readyNs = 0;
        double arrivedNs = -1;
    };
    const StepPlan* m_step = nullptr;
    std::vector<StepTrace>* m_traces = nullptr;
    std::vector<double> m_now;  // by rank
    std::vector<double> m_began;
    std::vector<std::size_t> m_at;
    std::vector<double> m_free;
    std::vector<std::vector<Turn>> m_turns;
    std::vector<std::vector<double>> m_ended;
    std::vector<int> m_arrived;  // by meeting
    std::vector<int> m_expected;
    std::vector<double> m_last;
    std::vector<double> m_sent;  // by message; -1: not yet
};

}  // namespace ringside
