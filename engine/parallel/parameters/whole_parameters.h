// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/models/model.h"
#include "parallel/parameters/parameter_store.h"
#include "parallel/reduce/gradient_reducer.h"

namespace ringside {

// Parameter store in which each rank holds all parameters of its stage. Gradients are averaged in buckets, as in DDP.
class WholeParameters final : public ParameterStore {
  public:
    // The first model must have memory for its values. The other models, one for each further micro-batch in flight,
    // use the same values and gradients. All models must outlive the store.
    WholeParameters(const std::vector<Model*>& models, Communicator& replicas, Backend& backend, BucketLimits limits,
                    ReducerOptions options);

    const std::vector<Parameter*>& trained() const override { return m_models.front()->parameters(); }
    std::size_t parameterOf(std::size_t trained) const override { return trained; }
    void initialise(std::int64_t seed) override { m_models.front()->initialise(seed); }
    void beginBackward(const PassPosition& pass) override;
    void ready(std::size_t parameter) override;
    void endBackward(bool) override {}
    void finish() override;
    void gather(std::size_t parameter, const Tensor& own, std::vector<float>& whole) override;
    void scatter(std::size_t parameter, std::span<const float> whole, const Tensor& own) override;
    Tensor localValue(std::size_t parameter) const override { return trained()[parameter]->value; }
    Tensor localGradient(std::size_t parameter) const override { return trained()[parameter]->gradient; }
    RowRange localRows(std::size_t parameter) const override;
    void watch(OwnGradient own) override { m_reducer.watch(std::move(own)); }
    bool ownsDistinctPart() const override { return false; }

  private:
    std::vector<Model*> m_models;
    Backend& m_backend;
    GradientReducer m_reducer;
    PassPosition m_pass;
};

}  // namespace ringside
