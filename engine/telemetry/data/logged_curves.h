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

// One curve for each tag under which a watched script logs scalars, from its "logged" events, in bounded memory. The
// steps are the script's own. If several ranks log the same tag, the curve is that of the lowest rank. Not thread-safe.
class LoggedCurves {
  public:
    static constexpr std::size_t kMaxTags = 200;
    static constexpr std::size_t kMaxLeftOut = 10'000;  // maximum number of tags beyond kMaxTags that are counted
    static constexpr std::size_t kPoints = 1U << 12;    // maximum number of points of each curve

    struct Curve {
        // Origin of the values: "tensorboard", "lightning" or "loss"; empty: not known.
        std::string source = {};
        int rank = 0;                     // rank that has logged the values
        std::int64_t lastStep = 0;        // step of the latest point
        std::int64_t stepsBackwards = 0;  // number of values that were left out because their step is before lastStep
        Series values{kPoints};           // epoch and samples of each point are 0
    };

    // Applies an event; ignores all events except logged scalars. Returns true if a curve has changed. A value whose
    // step is before the latest step of its curve is left out, because curves are drawn from left to right. Several
    // values for one step become several points.
    bool add(const Event& event);

    // Returns the curves by tag. The next call of add() invalidates references to the curves.
    const std::map<std::string, Curve>& curves() const { return m_curves; }
    // Returns the number of tags for which there is no curve because more than kMaxTags tags are logged; at most
    // kMaxLeftOut.
    std::size_t tagsLeftOut() const { return m_leftOut.size(); }

  private:
    std::map<std::string, Curve> m_curves;
    std::set<std::string> m_leftOut;
};

}  // namespace ringside
