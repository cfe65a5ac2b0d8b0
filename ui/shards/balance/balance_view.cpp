// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/balance_view.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QVBoxLayout>
#include <cmath>

#include "controls/elided_label.h"
#include "sampling/plan/work_limits.h"
#include "shards/balance/balance_table.h"
#include "shards/balance/scene_balance.h"
#include "shards/scene/sentence_text.h"
#include "theme/theme.h"

namespace ringside {
namespace {

qint64 outsideOfRank(const ClassBalance& balance, int rank) {
    qint64 count = 0;
    for (int label = 0; label < balance.classes; ++label) count += balance.outside(rank, label) ? 1 : 0;
    return count;
}

}  // namespace

BalanceView::BalanceView(Theme& theme, QWidget* parent) : ShardView(parent), m_theme(theme) {
    setObjectName(QStringLiteral("balanceView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace2);
    auto* row = new QHBoxLayout;
    m_legend = new ElidedLabel;
    m_legend->setProperty("role", "muted");
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_by = new SegmentedControl({
        {tr("By rank"), tr("Classes that each rank trains on in this epoch"), QStringLiteral("balanceByRankButton")},
        {tr("By step"), tr("Classes that all ranks together train on in each step"),
         QStringLiteral("balanceByStepButton")},
    });
    row->addWidget(m_legend, 1);
    row->addWidget(m_by);
    layout->addLayout(row);
    m_canvas = new BalanceCanvas(theme);
    layout->addWidget(m_canvas, 1);
    connect(m_by, &SegmentedControl::chosen, this, &BalanceView::showCounts);
    connect(m_canvas, &BalanceCanvas::resized, this, &BalanceView::explain);
}

void BalanceView::setScene(const ShardScene& scene) {
    m_scene.emplace(scene);
    m_work.cancel();
    const Key key{scene.plan.spec(), scene.labels};
    if (const auto* known = m_recent.find(key)) return setMade(*known);
    const auto make = [scene](const LatestWork::Stop& stop) {
        return std::make_shared<const Made>(countBalance(scene, stop));
    };
    if (key.spec.datasetSize <= kInstantSamples) return setMade(make(LatestWork::Stop(false)));
    m_work.requestLatest(this, make, [this, key](const std::shared_ptr<const Made>& one) {
        m_recent.add(key, one);
        setMade(one);
    });
}

void BalanceView::freeMemory() {
    m_work.cancel();
    m_scene.reset();
    m_recent.clear();
}

// Counts the samples of each class by rank and by step. Callable from any thread.
BalanceView::Made BalanceView::countBalance(const ShardScene& scene, const LatestWork::Stop& stop) {
    Made one{classBalance(scene, &stop), batchBalance(scene, stop)};
    one.outsideByStep = one.byStep.countsOutsideBands();
    one.expectedByStep = one.byStep.expectedOutside();
    return one;
}

void BalanceView::setMade(std::shared_ptr<const Made> one) {
    m_made = std::move(one);
    showCounts();
}

void BalanceView::setSelected(std::optional<qint64>, std::optional<GridCell> cell) {
    if (cell == m_selected) return;
    m_selected = cell;
    showCounts();
}

void BalanceView::showCounts() {
    if (!m_scene) return;
    const auto shown = m_made;
    // Uses the class names of the data set whose samples were counted; the page may already show another data set.
    const auto className = [shown](int label) {
        return QString::fromStdString(shown->byRank.names[static_cast<std::size_t>(label)]);
    };
    BalanceCanvas::Counts counts;
    std::optional<qint64> marked;
    if (isByStep()) {
        counts = {shown->byStep.steps,
                  shown->byStep.classes,
                  [shown](qint64 row, int label) { return shown->byStep.count(row, label); },
                  [shown](qint64 row, int label) { return shown->byStep.band(row, label); },
                  [](qint64 row) { return tr("Step %1").arg(groupedNumber(row + 1)); },
                  className,
                  [this](qint64) { return m_theme.colors().accent; },
                  [first = m_scene->epoch * m_scene->plan.stepsPerEpoch()](qint64 row) {
                      return Identity{IdentityKind::Step, first + row + 1};
                  }};
        if (m_selected) marked = m_selected->slot / m_scene->plan.spec().batchSize;
    } else {
        counts = {shown->byRank.ranks,
                  shown->byRank.classes,
                  [shown](qint64 row, int label) { return shown->byRank.count(static_cast<int>(row), label); },
                  [shown](qint64 row, int label) { return shown->byRank.band(static_cast<int>(row), label); },
                  [](qint64 row) { return tr("Rank %1").arg(row); },
                  className,
                  [this](qint64 row) { return m_theme.rankColor(static_cast<int>(row)); },
                  [](qint64 row) {
                      return Identity{IdentityKind::Rank, row};
                  }};
        if (m_selected) marked = m_selected->rank;
    }
    m_canvas->setCounts(counts);
    m_canvas->setMarkedRow(marked);
    explain();
}

void BalanceView::explain() {
    if (!m_scene) return;
    const ClassBalance& byRank = m_made->byRank;
    Explanation explanation{tr("Does each rank train on each class equally often?"), {}, false};
    if (byRank.classes == 0) {
        const bool coming = m_work.isBusy() || (!m_scene->labels && m_scene->data && m_scene->data->classCount() > 0);
        const QString why = coming ? tr("Counting the classes") : tr("This data set has no classes");
        m_legend->setWhole(why);
        explanation.lines << why + QLatin1Char('.');
        m_explanation = explanation;
        Q_EMIT explanationChanged();
        return;
    }
    m_legend->setWhole(m_canvas->showsBars()
                           ? tr("Grey: range expected by chance; line: mean; red: outside the range")
                           : tr("Blue: more than expected; orange: fewer than expected; faint: as expected"));
    const qint64 outside = isByStep() ? m_made->outsideByStep : byRank.countsOutsideBands();
    const double expected = isByStep() ? m_made->expectedByStep : byRank.expectedOutside();
    explanation.lines << tr("%1 of %2 counts are outside the range expected by chance (mean \u00b1 1.96 standard "
                            "deviations, in whole samples). With a random assignment, %3 are outside on average.")
                             .arg(groupedNumber(outside), groupedNumber(cellsDrawn()), shortNumberText(expected));
    if (m_selected && m_selected->rank < byRank.ranks) {
        const QString of = byRank.isWithinLimit(m_selected->rank)
                               ? tr("Rank %1 is within the range expected by chance").arg(m_selected->rank)
                               : tr("Rank %1 is outside the range expected by chance").arg(m_selected->rank);
        explanation.lines
            << tr("%1: %2 of its %3 class counts are outside the range; %4 are expected to be outside by chance.")
                   .arg(of)
                   .arg(outsideOfRank(byRank, m_selected->rank))
                   .arg(byRank.classes)
                   .arg(shortNumberText(byRank.outsideByChance[static_cast<std::size_t>(m_selected->rank)]));
    }
    if (isByStep() && m_made->byStep.steps < m_made->byStep.stepsOfEpoch) {
        explanation.lines << tr("Only the first %2 of %1 steps are counted.")
                                 .arg(groupedNumber(m_made->byStep.stepsOfEpoch), groupedNumber(m_made->byStep.steps));
    }
    m_explanation = explanation;
    Q_EMIT explanationChanged();
}

qint64 BalanceView::cellsDrawn() const {
    return isByStep() ? m_made->byStep.steps * m_made->byStep.classes
                      : qint64{m_made->byRank.ranks} * m_made->byRank.classes;
}

TableData BalanceView::table() const {
    if (!isByStep()) return balanceTable(m_made->byRank);
    return batchBalanceTable(std::shared_ptr<const BatchBalance>(m_made, &m_made->byStep));
}

TableData batchBalanceTable(const std::shared_ptr<const BatchBalance>& balance) {
    return {QStringLiteral("class-balance-by-step"),
            {"step", "class", "samples", "expected", "low", "high", "outside"},
            balance->steps * balance->classes,
            [balance](qint64 row) {
                const qint64 step = row / balance->classes;
                const auto label = static_cast<int>(row % balance->classes);
                const ChanceBand band = balance->band(step, label);
                const std::int64_t count = balance->count(step, label);
                const auto real = [](double value) { return QString::number(value, 'f', 2); };
                return QStringList{QString::number(step + 1),
                                   QString::fromStdString(balance->names[static_cast<std::size_t>(label)]),
                                   QString::number(count),
                                   real(band.expected),
                                   real(band.low),
                                   real(band.high),
                                   isOutside(count, band) ? QStringLiteral("yes") : QStringLiteral("no")};
            }};
}

}  // namespace ringside
