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
#include "train/interfaces/step_observer.h"
#include "train/interfaces/trainer_observer.h"

namespace ringside {

// Reports vectors of single steps of this rank as GradientView events: the local gradient, the averaged gradient, and
// the change of the weights by the update.
//
// Restricted to models on the CPU with up to kMaxParameters parameters, whose layers are trained by several ranks on
// different samples. All ranks must inspect the same steps. If the parameters are sharded, the ranks gather them for
// the inspection.
class ReplicaProbe final : public StepObserver {
  public:
    static constexpr std::int64_t kMaxParameters = 200'000;

    struct Dependencies {
        const RunConfig& config;
        Backend& backend;
        TrainerObserver& observer;
        RankLayout layout;
    };

    explicit ReplicaProbe(const Dependencies& dependencies);
    // Sets the strategy, which must outlive this object; call before the first step.
    void setStrategy(Strategy& strategy);

    // Inspects the next `steps` steps. The last of them is reported in full, the others only with norms and cosine
    // similarities. Call on all ranks. If inspection is not possible, returns the reason, otherwise an empty text.
    std::string requestSteps(std::int64_t steps);
    // True if no step is being inspected and no inspection is requested.
    bool isIdle() const { return m_left == 0 && !m_active; }
    // Decides whether to inspect the step. Call between its data phase and its backward pass.
    void selectStep(StepPosition position);
    // Inspects the current step in full, with the cells of all tensors. Call before the backward pass. often: true if
    // many steps are inspected in a row; each step is then reported with fewer cells.
    void inspectCurrentStep(bool often = false);
    void phaseEnded(Phase phase, StepPosition position) override;
    void endStep(const FinishedStep& step) override;

    // Returns the function that must be called with each local gradient before it is averaged; empty if inspection is
    // not possible.
    std::function<void(std::size_t, const Tensor&)> localGradientCallback();
    void addChecksums(Replica& replica) const;

  private:
    using Values = std::vector<float>;  // values of all parameters, concatenated

    std::span<const float> valuesOfParameter(const Values& values, std::size_t parameter) const;
    void copyGradients(Values& to) const;
    void copyValues(Values& to) const;
    bool hasLocalGradient() const {
        return m_strategy != nullptr && m_ownCount >= m_strategy->localParameters().size();
    }
    void reportLocalGradient();
    GradientView makeView(GradientMoment moment, const Values& values, bool withCells) const;
    void addCells(GradientView& view, const Values& values) const;
    std::vector<double> ringValuesOf(const Values& values) const;
    void reportMeanGradient();

    Dependencies m_dependencies;
    // factor by which the reported local gradient is multiplied, so that it is a mean over this rank's samples
    float m_ownShare = 1;
    Strategy* m_strategy = nullptr;
    std::string m_whyNot;
    // offset of each parameter in a Values vector; the last entry is the size of the vector
    std::vector<std::size_t> m_begins;
    StepPosition m_position;
    std::int64_t m_left = 0;  // number of requested steps that have not been inspected yet
    bool m_active = false;    // true if the current step is inspected
    bool m_whole = false;     // true if the current step is inspected in full, with the cells of all tensors
    bool m_often = false;
    std::size_t m_ownCount = 0;  // number of local gradients of the current step that have been copied to m_own
    bool m_reportedOwn = false;
    Values m_own;
    Values m_mean;
    Values m_before;  // weights before the optimizer's update
};

}  // namespace ringside
