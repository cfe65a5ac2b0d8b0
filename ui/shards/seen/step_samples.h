// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "controls/picture.h"
#include "watch/plan/seen_plan.h"

namespace ringside {

class RunData;
class Theme;

// Samples of one step by rank, as cells with their numbers. A sample that is not the planned one is outlined.
class StepSamplesView final : public Picture {
    Q_OBJECT
  public:
    explicit StepSamplesView(const Theme& theme, QWidget* parent = nullptr);

    struct Cell {
        std::int64_t sample = 0;
        bool isOther = false;  // true if the sample is not the planned one
        bool operator==(const Cell&) const = default;
    };
    struct Row {
        int rank = 0;
        std::vector<Cell> cells;
        bool operator==(const Row&) const = default;
    };
    void setRows(std::vector<Row> rows);
    const std::vector<Row>& rows() const { return m_rows; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }
    // Returns the sample and the rank at the point, or only the rank if no sample is there.
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    // Layout of a row: width of each cell in pixels, and number of cells that fit into the row.
    struct Fit {
        int cellWidth = 0;
        int shown = 0;
    };
    Fit fitOf(const Row& row) const;
    void paintRow(QPainter& painter, const Row& row, int top) const;

    std::vector<Row> m_rows;
};

// Returns the latest step (from 1) of which every rank that trains has reported its samples; empty: there is none.
std::optional<std::int64_t> latestSeenStep(const RunData& run, std::int64_t loader);

// Returns the samples of a step, marked if they are not those of the plan. Contains at most kMaxSampleRows ranks.
std::vector<StepSamplesView::Row> samplesOfStep(const RunData& run, std::int64_t step, std::int64_t loader,
                                                const std::optional<SeenPlan>& plan);

inline constexpr std::size_t kMaxSampleRows = 16;

}  // namespace ringside
