// SPDX-License-Identifier: Apache-2.0
#include "schedule/schedule_simulation.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace ringside {

double ActionTimes::timeOf(PipelineWork work) const {
    switch (work) {
        case PipelineWork::kForward:
            return forward;
        case PipelineWork::kInput:
            return input;
        case PipelineWork::kWeights:
            return weights;
        case PipelineWork::kBackward:
            return input + weights;
    }
    RINGSIDE_ASSERT(false);
}

ActionTimes SimulationTimes::timesOf(int stage) const {
    if (stages.empty()) return {};
    return stages[std::min(static_cast<std::size_t>(stage), stages.size() - 1)];
}

double ScheduleSimulation::idleShare() const {
    const double all = std::accumulate(busy.begin(), busy.end(), 0.0);
    return busy.empty() || makespan <= 0 ? 0 : 1 - all / (makespan * static_cast<double>(busy.size()));
}

namespace {

class Simulator {
  public:
    Simulator(const Schedule& schedule, const SimulationTimes& times)
        : m_schedule(schedule),
          m_times(times),
          m_microBatches(static_cast<std::size_t>(schedule.microBatchCount())),
          m_next(schedule.ranks.size()),
          m_inFlight(schedule.ranks.size()) {
        const std::size_t pairs = static_cast<std::size_t>(schedule.stageCount()) * m_microBatches;
        m_forward.resize(pairs);
        m_input.resize(pairs);
        m_result.busy.resize(schedule.ranks.size());
        m_result.end.resize(schedule.ranks.size());
        m_result.peakActivations.resize(schedule.ranks.size());
    }

    ScheduleSimulation run() {
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t rank = 0; rank < m_next.size(); ++rank)
                while (doNext(rank)) moved = true;
        }
        for (std::size_t rank = 0; rank < m_next.size(); ++rank) {
            const auto& actions = m_schedule.ranks[rank];
            if (m_next[rank] < actions.size())
                m_result.stuck.push_back({static_cast<int>(rank), actions[m_next[rank]]});
            m_result.makespan = std::max(m_result.makespan, m_result.end[rank]);
        }
        std::ranges::stable_sort(m_result.actions, {}, &SimulatedAction::rank);
        return std::move(m_result);
    }

  private:
    struct Done {
        std::optional<double> at;
        int rank = -1;
    };

    Done& of(std::vector<Done>& what, int stage, int microBatch) {
        return what[static_cast<std::size_t>(stage) * m_microBatches + static_cast<std::size_t>(microBatch)];
    }

    // Returns the time at which the result of a pass is available on `rank`, including the message if another rank
    // computed the result. Empty if it is not computed yet.
    std::optional<double> arrival(const Done& done, std::size_t rank) const {
        if (!done.at) return {};
        return *done.at + (done.rank == static_cast<int>(rank) ? 0 : m_times.message);
    }

    std::optional<double> readyAt(const PipelineAction& action, std::size_t rank) {
        const bool isLast = action.stage + 1 == m_schedule.stageCount();
        switch (action.work) {
            case PipelineWork::kForward:
                if (action.stage == 0) return 0;
                return arrival(of(m_forward, action.stage - 1, action.microBatch), rank);
            case PipelineWork::kWeights:
                return arrival(of(m_input, action.stage, action.microBatch), rank);
            case PipelineWork::kBackward:
            case PipelineWork::kInput:
                break;
        }
        const auto forward = arrival(of(m_forward, action.stage, action.microBatch), rank);
        if (!forward || isLast) return forward;
        const auto behind = arrival(of(m_input, action.stage + 1, action.microBatch), rank);
        if (!behind) return {};
        return std::max(*forward, *behind);
    }

    // Simulates the next action of a rank, or the next pair of actions (PipelineAction::withNext). A pair starts when
    // the inputs of both halves are available. Returns false if an input is missing.
    bool doNext(std::size_t rank) {
        const auto& actions = m_schedule.ranks[rank];
        const std::size_t first = m_next[rank];
        if (first >= actions.size()) return false;
        const std::size_t last = actions[first].withNext ? first + 1 : first;
        double begin = m_result.end[rank];
        for (std::size_t i = first; i <= last; ++i) {
            const auto ready = readyAt(actions[i], rank);
            if (!ready) return false;
            begin = std::max(begin, *ready);
        }
        for (std::size_t i = first; i <= last; ++i) begin = carryOut(actions[i], rank, begin);
        m_next[rank] = last + 1;
        return true;
    }

    double carryOut(const PipelineAction& action, std::size_t rank, double begin) {
        const double duration = m_times.timesOf(action.stage).timeOf(action.work);
        const double end = begin + duration;
        const Done done{end, static_cast<int>(rank)};
        if (action.work == PipelineWork::kForward) {
            of(m_forward, action.stage, action.microBatch) = done;
            m_result.peakActivations[rank] = std::max(m_result.peakActivations[rank], ++m_inFlight[rank]);
        } else if (action.work != PipelineWork::kWeights) {
            of(m_input, action.stage, action.microBatch) = done;
        }
        if (action.work == PipelineWork::kBackward || action.work == PipelineWork::kWeights) --m_inFlight[rank];
        m_result.actions.push_back({static_cast<int>(rank), action, begin, end});
        m_result.busy[rank] += duration;
        m_result.end[rank] = end;
        return end;
    }

    const Schedule& m_schedule;
    const SimulationTimes& m_times;
    std::size_t m_microBatches;
    std::vector<Done> m_forward;  // end time of each forward pass, by stage and micro-batch
    std::vector<Done> m_input;    // end time of each backward pass (B or I), by stage and micro-batch
    std::vector<std::size_t> m_next;
    std::vector<int> m_inFlight;
    ScheduleSimulation m_result;
};

}  // namespace

ScheduleSimulation simulate(const Schedule& schedule, const SimulationTimes& times) {
    return Simulator(schedule, times).run();
}

}  // namespace ringside
