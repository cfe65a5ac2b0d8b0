// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "parallel/mesh/mesh_groups.h"
#include "parallel/mesh/pipeline_stage.h"
#include "parallel/reduce/row_squares.h"

namespace ringside {

// Norm of the gradients of a model that is distributed over ranks.
class MeshNorm {
  public:
    // parameters: the parameters of the whole model in their order.
    explicit MeshNorm(const std::vector<Parameter*>& parameters) : m_squares(parameters) {}

    // Return the squared norm of all gradients of the model, of which this rank holds the parts in `stages`; with
    // exactSquared() it does not depend on how the model is split. Collective over all ranks.
    double squared(std::vector<PipelineStage>& stages, MeshGroups& groups, Backend& backend);
    static double exactSquared(std::vector<PipelineStage>& stages, MeshGroups& groups);

  private:
    RowSquares m_squares;
};

}  // namespace ringside
