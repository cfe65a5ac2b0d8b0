// SPDX-License-Identifier: Apache-2.0
#include "train/control/layer_progress.h"

namespace ringside {

void LayerProgress::onPassBegin(const Model& model, Work work, std::int64_t samples) {
    const LayerRange range = model.range();
    m_phase = work == Work::kForward ? Phase::kForward : Phase::kBackward;
    m_share = 0.5 / (m_passes * static_cast<double>(range.last - range.first));
    m_next.onPassBegin(model, work, samples);
}

// The sleep of slow motion comes first: m_next measures the duration of the layer from its call on, and the duration
// must not include the sleep.
void LayerProgress::layerBegins(std::size_t layer) {
    if (m_control != nullptr && m_control->reportsLayersAndActions())
        m_control->reportLayerOrAction(m_phase, static_cast<int>(layer), {}, m_share);
    m_next.layerBegins(layer);
}

}  // namespace ringside
