// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/seen/step_samples.h"

#include <QPainter>
#include <algorithm>

#include "telemetry/data/run_data.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kRowHeight{30};
constexpr TypePixels kLabelWidth{64};
constexpr TypePixels kCellPadding{10};
constexpr int kGap = 3;
constexpr float kSoft = 0.16F;  // opacity of a cell's colour

}  // namespace

StepSamplesView::StepSamplesView(const Theme& theme, QWidget* parent) : Picture(theme, parent) {
    setObjectName(QStringLiteral("stepSamples"));
    setAccessibleName(tr("Samples of the step by rank"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void StepSamplesView::setRows(std::vector<Row> rows) {
    if (rows == m_rows) return;
    const bool resized = rows.size() != m_rows.size();
    m_rows = std::move(rows);
    if (resized) updateGeometry();
    update();
}

QSize StepSamplesView::sizeHint() const {
    return {320, kRowHeight * static_cast<int>(m_rows.size())};
}

void StepSamplesView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_rows.size(); ++i) paintRow(painter, m_rows[i], kRowHeight * static_cast<int>(i));
}

StepSamplesView::Fit StepSamplesView::fitOf(const Row& row) const {
    std::int64_t largest = 0;
    for (const Cell& cell : row.cells) largest = std::max(largest, cell.sample);
    const int cellWidth = QFontMetrics(theme().smallFont()).horizontalAdvance(QString::number(largest)) + kCellPadding;
    const int fit = std::max(0, (width() - kLabelWidth) / (cellWidth + kGap));
    const int count = static_cast<int>(row.cells.size());
    return {cellWidth, count <= fit ? count : std::max(0, fit - 1)};
}

std::vector<Identity> StepSamplesView::identitiesAt(const QPoint& point) const {
    const int index = point.y() / kRowHeight;
    if (point.y() < 0 || index >= static_cast<int>(m_rows.size())) return {};
    const Row& row = m_rows[static_cast<std::size_t>(index)];
    const Identity rank{IdentityKind::Rank, row.rank};
    const auto [cellWidth, shown] = fitOf(row);
    const int column = (point.x() - kLabelWidth) / (cellWidth + kGap);
    if (point.x() < kLabelWidth || column >= shown) return {rank};
    return {{IdentityKind::Sample, row.cells[static_cast<std::size_t>(column)].sample}, rank};
}

void StepSamplesView::paintRow(QPainter& painter, const Row& row, int top) const {
    const ThemeColors& colors = theme().colors();
    painter.setFont(theme().bodyFont());
    painter.setPen(colors.text);
    painter.drawText(QRect(0, top, kLabelWidth, kRowHeight), Qt::AlignVCenter, tr("Rank %1").arg(row.rank));
    painter.setFont(theme().smallFont());
    const auto [cellWidth, shown] = fitOf(row);
    const int count = static_cast<int>(row.cells.size());
    QColor soft = theme().rankColor(row.rank);
    soft.setAlphaF(kSoft);
    for (int i = 0; i <= shown; ++i) {
        const QRectF place(kLabelWidth + i * (cellWidth + kGap) + 0.5, top + 2.5, cellWidth, kRowHeight - 5);
        if (i == shown) {
            if (count > shown) painter.drawText(place, Qt::AlignCenter, QStringLiteral("+%1").arg(count - shown));
            break;
        }
        const Cell& cell = row.cells[static_cast<std::size_t>(i)];
        painter.setPen(cell.isOther ? QPen(colors.danger, 2) : QPen(Qt::NoPen));
        painter.setBrush(soft);
        painter.drawRoundedRect(place, 3, 3);
        painter.setPen(cell.isOther ? colors.danger : colors.text);
        painter.drawText(place, Qt::AlignCenter, QString::number(cell.sample));
    }
}

std::optional<std::int64_t> latestSeenStep(const RunData& run, std::int64_t loader) {
    std::optional<std::int64_t> least;
    for (const RankData& rank : run.ranks()) {
        const auto last = std::find_if(rank.indices.rbegin(), rank.indices.rend(),
                                       [&](const ConsumedIndices& one) { return one.loader == loader; });
        if (last == rank.indices.rend()) continue;  // some ranks, such as later stages of a pipeline, read no samples
        least = std::min(least.value_or(last->step), last->step);
    }
    return least;
}

std::vector<StepSamplesView::Row> samplesOfStep(const RunData& run, std::int64_t step, std::int64_t loader,
                                                const std::optional<SeenPlan>& plan) {
    std::vector<StepSamplesView::Row> rows;
    std::optional<ShardPlan> made;
    for (std::size_t rank = 0; rank < run.ranks().size() && rows.size() < kMaxSampleRows; ++rank) {
        StepSamplesView::Row row{static_cast<int>(rank), {}};
        for (const ConsumedIndices& one : run.ranks()[rank].indices) {
            if (one.step != step || one.loader != loader) continue;
            if (plan && !made) {
                const Result<ShardPlan> epoch = ShardPlan::make(plan->specAt(one.epoch));
                if (epoch) made = epoch.value();
            }
            for (std::size_t i = 0; i < one.index.size(); ++i) {
                const std::int64_t slot = one.slot + static_cast<std::int64_t>(i);
                row.cells.push_back({one.index[i], made && !matchesPlan(*made, row.rank, slot, {one.index[i]})});
            }
        }
        if (!row.cells.empty()) rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace ringside
