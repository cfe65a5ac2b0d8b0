// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <array>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

class Theme;

// Time by phase in each pixel column, drawn as stacks. Used if several steps share a column.
class PhaseColumns {
  public:
    explicit PhaseColumns(int width) : m_columns(static_cast<std::size_t>(std::max(width, 1))) {}

    int width() const { return static_cast<int>(m_columns.size()); }
    void add(int column, Phase phase, double ns);
    // Distributes the time `ns` of a phase over the columns between two x positions, in proportion to the covered
    // width.
    void spread(double from, double to, Phase phase, double ns);

    double total(int column) const;
    // Draws the stacks into an image of this height. A stack of fullNs nanoseconds has the full height; if fullNs is 0,
    // every stack has the full height.
    QImage draw(int height, double fullNs, const Theme& theme) const;

  private:
    std::vector<std::array<float, kPhaseCount>> m_columns;
};

// Phases from the bottom to the top of a stack, in the order of the legend.
inline constexpr std::array kStackedPhases{Phase::kDataWait,   Phase::kCopy,   Phase::kForward,   Phase::kBackward,
                                           Phase::kWaiting,    Phase::kMoving, Phase::kOptimizer, Phase::kValidation,
                                           Phase::kCheckpoint, Phase::kPaused, Phase::kIdle};

}  // namespace ringside
