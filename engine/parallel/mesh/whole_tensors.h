// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/run_config.h"
#include "parallel/mesh/mesh_groups.h"
#include "parallel/mesh/mesh_stages.h"
#include "parallel/strategy/whole_tensor_access.h"

namespace ringside {

// Whole tensors of a model whose stages and shards are distributed over ranks.
class WholeTensors final : public WholeTensorAccess {
  public:
    // All references must outlive this object.
    struct Dependencies {
        const OptimizerConfig& config;
        const Model& model;  // description of the whole model, without values
        Backend& backend;
        MeshGroups& groups;
        MeshStages& stages;
        Optimizer& optimizer;
    };
    explicit WholeTensors(const Dependencies& dependencies) : m_dependencies(dependencies) {}

    void read(const TensorVisitor& visit, bool optimizerToo) override { visitTensors(visit, true, optimizerToo); }
    void write(const TensorVisitor& fill) override;
    std::vector<const char*> optimizerTensorNames() const override;

  private:
    void visitTensors(const TensorVisitor& visit, bool reading, bool optimizerToo);
    void exchange(const WholeTensor& tensor, std::vector<float>& memory, const TensorVisitor& visit, bool reading);

    Dependencies m_dependencies;
};

}  // namespace ringside
