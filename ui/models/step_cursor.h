// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <cstdint>
#include <optional>

namespace ringside {

// The training step that the user has selected, shared by all pages. The Timeline page shows the selected step; charts
// and the grid of samples mark it.
class StepCursor : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

    // Returns the selected step, counted from 1 over all epochs; empty if no step is selected.
    std::optional<std::int64_t> step() const { return m_step; }
    void choose(std::optional<std::int64_t> step) {
        if (step == m_step) return;
        m_step = step;
        Q_EMIT changed();
    }

  Q_SIGNALS:
    void changed();

  private:
    std::optional<std::int64_t> m_step;
};

}  // namespace ringside
