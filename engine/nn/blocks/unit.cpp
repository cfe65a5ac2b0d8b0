// SPDX-License-Identifier: Apache-2.0
#include "nn/blocks/unit.h"

namespace ringside {

Tensor Unit::forward(const Tensor& x) {
    if (m_hooks) m_hooks->enter(m_number, UnitHooks::Way::kForward);
    const Tensor y = m_layer->forward(x);
    if (m_hooks) m_hooks->leave(m_number, UnitHooks::Way::kForward);
    return y;
}

void Unit::backwardParameters(const Tensor& gradY) {
    if (m_hooks) m_hooks->enter(m_number, UnitHooks::Way::kBackward);
    m_layer->backwardParameters(gradY);
}

Tensor Unit::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_layer->backwardInput(gradY);
    if (m_hooks) m_hooks->leave(m_number, UnitHooks::Way::kBackward);
    return gradX;
}

}  // namespace ringside
