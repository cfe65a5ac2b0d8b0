// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "controls/seek_slider.h"
#include "identity/identity.h"

namespace ringside {

// Slider over the epochs of a run. The value is the index of the epoch, from 0. identitiesAt() returns the epoch at a
// position of the slider.
class EpochSlider final : public SeekSlider, public IdentitySource {
    Q_OBJECT
  public:
    using SeekSlider::SeekSlider;
    std::vector<Identity> identitiesAt(const QPoint& point) const override {
        return {{IdentityKind::Epoch, valueAt(point.x())}};
    }
};

}  // namespace ringside
