// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "telemetry/curves/series.h"
#include "telemetry/events/events.h"

namespace ringside {

// Curves of the scalars that a watched script logs, from the run's "logged" events: one curve for each tag, in bounded
// memory. The step numbers are those that the script passes. If several ranks log the same tag, only the values of the
// lowest of these ranks are used. Not thread-safe.
class LoggedCurves {
  public:
    static constexpr std::size_t kMaxTags = 200;
    // maximum number of additional tags that are counted after kMaxTags tags have a curve
    static constexpr std::size_t kMaxLeftOut = 10'000;
    static constexpr std::size_t kPoints = 1U << 12;  // maximum number of points of each curve

    struct Curve {
        // Origin of the values: "tensorboard", "lightning" or "loss" (see LoggedScalar); empty: not known.
        std::string source = {};
        int rank = 0;               // rank that logged the values of this curve
        std::int64_t lastStep = 0;  // step of the latest point
        // number of values that were not added because their step is smaller than lastStep
        std::int64_t stepsBackwards = 0;
        Series values{kPoints};  // the fields `epoch` and `samples` of each point are 0
    };

    // Applies an event; ignores all events except logged scalars. Returns true if a curve has changed. Does not add a
    // value whose step is smaller than the latest step of its curve, because curves are drawn from left to right.
    // Several values with the same step become several points.
    bool add(const Event& event);

    // Returns the curves by tag. The next call of add() invalidates the reference.
    const std::map<std::string, Curve>& curves() const { return m_curves; }
    // Returns the number of tags without a curve, because kMaxTags other tags were logged first. At most kMaxLeftOut.
    std::size_t tagsLeftOut() const { return m_leftOut.size(); }

  private:
    std::map<std::string, Curve> m_curves;
    std::set<std::string> m_leftOut;
};

}  // namespace ringside
