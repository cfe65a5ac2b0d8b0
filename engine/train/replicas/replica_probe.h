// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "config/mesh.h"
#include "parallel/strategy/strategy.h"
#include "telemetry/events/events.h"
#include "telemetry/steps/phase.h"
#include "train/parts/trainer_observer.h"

namespace ringside {

// Looks at single steps of this rank from near: its own gradient, the mean that came of all ranks', and what the update
// made of the weights (GradientView). Only of small models on the CPU whose layers several ranks train on samples of
// their own; every rank looks at the same steps. Where parameters are sharded they are gathered for it.
class ReplicaProbe {
  public:
    static constexpr std::int64_t kMostParameters = 200'000;

    struct Parts {
        const RunConfig& config;
        Backend& backend;
        TrainerObserver& observer;
        RankLayout layout;
    };
    struct Place {
        std::int64_t step = 0;
        std::int64_t epoch = 0;
    };

    explicit ReplicaProbe(const Parts& parts);
    void setStrategy(Strategy& strategy);  // before the first step; it outlives this

    // The next so many steps, on all ranks alike: of the last everything, of the others norms and angles. Returns why
    // not, where that cannot be.
    std::string request(std::int64_t steps);
    void beginStep(Place place);
    // At the step under way, before its backward pass; often: it is one of many, in fewer cells.
    void lookNow(bool often = false);
    void passed(Phase phase);
    void endStep();

    // Who is told of gradients before they are averaged; empty where nothing can be looked at.
    std::function<void(std::size_t, const Tensor&)> ownGradient();
    void addChecksums(Replica& replica) const;

  private:
    using Values = std::vector<float>;  // of all parameters, one after the other

    std::span<const float> of(const Values& values, std::size_t parameter) const;
    void copyGradients(Values& to) const;
    void copyValues(Values& to) const;
    bool hasOwn() const { return m_strategy != nullptr && m_ownCount >= m_strategy->trainedHere().size(); }
    void tellOwn();
    GradientView view(const char* moment, const Values& values, bool withCells) const;
    void addCells(GradientView& view, const Values& values) const;
    std::vector<double> ringOf(const Values& values) const;
    void tellMean();

    Parts m_parts;
    float m_ownShare = 1;  // an own gradient that is part of the sum becomes one that is part of the mean
    Strategy* m_strategy = nullptr;
    std::string m_whyNot;
    std::vector<std::size_t> m_begins;  // of each parameter, and of all
    Place m_place;
    std::int64_t m_left = 0;  // steps asked for
    bool m_active = false;    // in the step under way
    bool m_whole = false;     // with all cells
    bool m_often = false;
    std::size_t m_ownCount = 0;  // of gradients in m_own that are this step's
    bool m_ownTold = false;
    Values m_own;
    Values m_mean;
    Values m_before;  // weights
};

}  // namespace ringside
