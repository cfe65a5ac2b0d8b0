// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <array>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

class Theme;

// Time by phase in each pixel column of a picture, drawn as stacks: how many steps look that share a column.
class PhaseColumns {
  public:
    explicit PhaseColumns(int width) : m_columns(static_cast<std::size_t>(std::max(width, 1))) {}

    int width() const { return static_cast<int>(m_columns.size()); }
    void add(int column, Phase phase, double ns);
    // Spread over the columns from x to another x by how much of each it covers.
    void spread(double from, double to, Phase phase, double ns);

    double total(int column) const;
    // Each stack as high as its share of fullNs; 0: each column is full, whatever it holds.
    QImage draw(int height, double fullNs, const Theme& theme) const;

  private:
    std::vector<std::array<float, kPhaseCount>> m_columns;
};

// The phases from the bottom of a stack to its top, as in a legend.
inline constexpr std::array kStackedPhases{Phase::kDataWait,   Phase::kCopy,   Phase::kForward,   Phase::kBackward,
                                           Phase::kWaiting,    Phase::kMoving, Phase::kOptimizer, Phase::kValidation,
                                           Phase::kCheckpoint, Phase::kIdle};

}  // namespace ringside
