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
#include "train/parts/step_observer.h"
#include "train/parts/trainer_observer.h"

namespace ringside {

// Reports details of single steps of this rank as GradientView events: the local gradient, the mean over all ranks, and
// the change of the weights by the update.
//
// Only for models of up to kMaxParameters parameters on the CPU whose layers several ranks train on different samples.
// All ranks must inspect the same steps. To inspect sharded parameters, the ranks gather them.
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

    // Inspects the next `steps` steps: all details of the last one, norms and angles of the other ones. Call on all
    // ranks. Returns the reason if inspection is not possible, an empty text if it is.
    std::string requestSteps(std::int64_t steps);
    bool isIdle() const {
        return m_left == 0 && !m_active;
    }  // returns true if no step is being inspected and no
       // inspection is requested
    // Decides whether to inspect the step. Call after its data phase, before its backward pass.
    void selectStep(StepPosition position);
    // Inspects the current step in full, with cells. Call before its backward pass. `often` means that many steps are
    // inspected in a row, with fewer cells each.
    void inspectCurrentStep(bool often = false);
    void phaseEnded(Phase phase, StepPosition position) override;
    void endStep(const FinishedStep& step) override;

    // Returns the callback that receives local gradients before they are averaged; empty if inspection is not
    // possible.
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
    float m_ownShare = 1;  // factor by which the local gradient is multiplied to get the mean over the local samples
    Strategy* m_strategy = nullptr;
    std::string m_whyNot;
    std::vector<std::size_t> m_begins;  // offset of each parameter in Values, and the total size at the end
    StepPosition m_position;
    std::int64_t m_left = 0;  // number of requested steps that remain
    bool m_active = false;    // true if the current step is inspected
    bool m_whole = false;     // true if the current step is inspected in full, with cells
    bool m_often = false;
    std::size_t m_ownCount = 0;  // number of gradients of the current step that have been copied to m_own
    bool m_reportedOwn = false;
    Values m_own;
    Values m_mean;
    Values m_before;  // weights before the optimizer's update
};

}  // namespace ringside
