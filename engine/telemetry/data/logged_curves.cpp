// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/logged_curves.h"

namespace ringside {

bool LoggedCurves::add(const Event& event) {
    const auto* const scalar = std::get_if<LoggedScalar>(&event);
    if (scalar == nullptr) return false;
    auto found = m_curves.find(scalar->tag);
    if (found == m_curves.end()) {
        if (m_curves.size() == kMaxTags) {
            if (m_leftOut.size() < kMaxLeftOut) m_leftOut.insert(scalar->tag);
            return false;
        }
        found = m_curves.emplace(scalar->tag, Curve{scalar->source, scalar->rank, scalar->step}).first;
    }
    Curve& curve = found->second;
    if (scalar->rank > curve.rank) return false;
    if (scalar->rank < curve.rank) curve = Curve{scalar->source, scalar->rank, scalar->step};
    if (scalar->step < curve.lastStep) {
        ++curve.stepsBackwards;
        return false;
    }
    curve.lastStep = scalar->step;
    const auto value = static_cast<float>(scalar->value);
    SeriesPoint point;
    point.step = scalar->step;
    point.timeUs = scalar->timeUs;
    point.mean = point.minimum = point.maximum = value;
    curve.values.add(point);
    return true;
}

}  // namespace ringside
