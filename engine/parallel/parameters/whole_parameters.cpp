// SPDX-License-Identifier: Apache-2.0
#include "parallel/parameters/whole_parameters.h"

#include <algorithm>

namespace ringside {

WholeParameters::WholeParameters(const std::vector<Model*>& models, Communicator& replicas, Backend& backend,
                                 BucketLimits limits, ReducerOptions options)
    : m_models(models),
      m_backend(backend),
      m_reducer(models.front()->parameters(), replicas, backend, limits, options) {
    for (std::size_t copy = 1; copy < models.size(); ++copy) {
        for (std::size_t i = 0; i < models[copy]->state().size(); ++i) {
            const Parameter& shared = *models.front()->state()[i];
            models[copy]->state()[i]->value = shared.value;
            models[copy]->state()[i]->gradient = shared.gradient;
        }
    }
}

void WholeParameters::beginBackward(const PassPosition& pass) {
    m_pass = pass;
    if (pass.isLastOfStep()) m_reducer.beginPass(pass.sumStep.adds);
}

// Keeps the gradient or, in the last backward pass of a step, reports it to the reducer. If that pass consists of two
// halves, finish() reports all gradients instead: they do not become complete in the order of the layers, in which the
// buckets must be sent.
void WholeParameters::ready(std::size_t parameter) {
    if (!m_pass.isLastOfStep())
        m_reducer.keepGradients(parameter, m_pass.sumStep);
    else if (!m_pass.inHalves)
        m_reducer.ready(parameter);
}

void WholeParameters::finish() {
    if (m_pass.inHalves)
        for (std::size_t i = trained().size(); i-- > 0;) m_reducer.ready(i);
    m_reducer.finishPass();
}

RowRange WholeParameters::localRows(std::size_t parameter) const {
    const Shape& shape = trained()[parameter]->shape;
    return {0, shape.dimensions() > 0 ? shape[0] : 1};
}

void WholeParameters::gather(std::size_t, const Tensor& own, std::vector<float>& whole) {
    whole.resize(std::max(whole.size(), static_cast<std::size_t>(own.count())));
    m_backend.download(own, whole.data());
}

void WholeParameters::scatter(std::size_t, std::span<const float> whole, const Tensor& own) {
    m_backend.upload(whole.data(), own);
}

}  // namespace ringside
