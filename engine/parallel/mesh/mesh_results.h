// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/mesh/mesh_groups.h"
#include "parallel/mesh/mesh_norm.h"
#include "parallel/mesh/step_losses.h"
#include "parallel/reduce/step_memory.h"
#include "parallel/strategy/launched_steps.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// Losses, gradient norm and signal of each step of a MeshStrategy. If the device works in parallel with the host, the
// results are copied to page-locked memory (a slot) after the step, and the host reads them after it has launched the
// next step.
class MeshResults {
  public:
    // batches: maximum number of batches in a step. leaves: groups of samples whose gradients are added in a tree; null
    // unless training.reduction is canonical. All arguments must outlive this object.
    MeshResults(const StrategyDependencies& dependencies, MeshGroups& groups, std::int64_t batches,
                const LeafBatches* leaves);

    bool canRunAhead() const { return m_launched.canRunAhead(); }
    StepMemory& memory() { return m_memory; }
    StepLosses& losses() { return m_losses; }
    MeshNorm& norm() { return m_norm; }

    // Return the results of a step that was not launched ahead. Block until the device has finished.
    //
    // fetchLosses() returns the losses of the batch that was trained last; in a pipeline, the rank of the last stage
    // broadcasts them. inLeaves: true if the batch was trained in leaves (groups of samples). fetchNorm() returns the
    // gradient norm on rank 0, and NaN on other ranks. squares: result of MeshNorm::squared(); may be empty.
    SampleLosses fetchLosses(const Batch& batch, bool inLeaves);
    double fetchNorm(const Tensor& squares, const Optimizer& optimizer);

    // Enqueue copies of the results of a launched step to its page-locked memory. begin() is called before the work of
    // the step's last batch. keepLosses() is called after the work of each batch and copies its losses. end() is called
    // last and copies the other results. Collective over all ranks.
    void begin(StepRequest request);
    void keepLosses(const Batch& batch);
    void end(const Tensor& squares, const Optimizer& optimizer);
    // Returns the results of the oldest launched step, like Strategy::results().
    StepResult read(const Strategy::EarlierLosses& earlier, const Optimizer& optimizer);

  private:
    const StrategyDependencies& m_dependencies;
    MeshGroups& m_groups;
    const LeafBatches* m_leaves;
    LaunchedSteps m_launched;
    StepMemory m_memory;
    StepLosses m_losses;
    MeshNorm m_norm;
    std::vector<double> m_squares;  // copy of the result of MeshNorm::squared()
    // Signal of rank 0 in the device's memory; used only when steps are launched ahead.
    Tensor m_signal;
};

}  // namespace ringside
