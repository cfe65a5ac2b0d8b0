// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/tail_panel.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "shards/explanation.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr double kMargin = 12;
constexpr double kTitleHeight = 44;
constexpr double kCardWidth = 62;
constexpr double kCardHeight = 62;
constexpr double kGap = 8;
constexpr double kFootHeight = 20;

}  // namespace

std::vector<int> markedRanks(const ShardPlan& plan, qint64 columns) {
    std::vector<int> ranks;
    for (int rank = 0; rank < plan.spec().worldSize; ++rank) {
        const CellKind kind = columns > 0 ? cellContent(plan, rank, columns - 1).kind : CellKind::None;
        if (kind != CellKind::Normal && kind != CellKind::None) {
            ranks.push_back(rank);
        }
    }
    return ranks;
}

TailPanel::TailPanel(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("tailPanel"));
    setAccessibleName(tr("Tail: the last cells of every rank"));
    setFixedWidth(static_cast<int>(2 * (kCardWidth + kMargin) + kGap));
    connect(&theme, &Theme::changed, this, &TailPanel::restyle);
}

void TailPanel::setScene(std::optional<ShardScene> scene) {
    m_scene = std::move(scene);
    if (m_scene) m_thumbnails.setData(m_scene->data);
    restyle();
}

void TailPanel::setColorBy(ColorBy by) {
    m_by = by;
    restyle();
}

void TailPanel::setSelected(std::optional<LoomCell> cell) {
    m_selected = cell;
    update();
}

void TailPanel::restyle() {
    m_colors.reset();
    if (m_scene) {
        m_colors.emplace(m_by, *m_scene, m_theme);
        m_thumbnails.setColors(m_theme.colors().panel, m_theme.colors().text);
    }
    update();
}

std::vector<int> TailPanel::shownRanks(int room) const {
    std::vector<int> ranks;
    if (m_scene->ranks() <= room) {
        for (int rank = 0; rank < m_scene->ranks(); ++rank) ranks.push_back(rank);
        return ranks;
    }
    ranks = markedRanks(m_scene->plan, m_scene->columns());
    if (ranks.empty()) {
        for (int rank = 0; rank < room; ++rank) ranks.push_back(rank);
    }
    ranks.resize(std::min<std::size_t>(ranks.size(), static_cast<std::size_t>(std::max(0, room))));
    return ranks;
}

std::vector<TailPanel::Placed> TailPanel::placedCells() const {
    std::vector<Placed> cells;
    const int room = static_cast<int>((height() - kTitleHeight - kFootHeight) / (kCardHeight + kGap));
    double y = kTitleHeight;
    for (const int rank : shownRanks(room)) {
        for (const int column : {0, 1}) {
            const qint64 slot = m_scene->columns() - 2 + column;
            if (slot >= 0) {
                cells.push_back(
                    {{rank, slot}, QRectF(kMargin + column * (kCardWidth + kGap), y, kCardWidth, kCardHeight)});
            }
        }
        y += kCardHeight + kGap;
    }
    return cells;
}

QString TailPanel::subtitle() const {
    const ShardPlan& plan = m_scene->plan;
    if (!plan.dropped().empty() || plan.droppedByLoader() > 0) return tr("dropped samples dashed");
    if (plan.padding() > 0) return tr("duplicates outlined");
    return tr("no duplicates, none dropped");
}

void TailPanel::paintEvent(QPaintEvent*) {
    if (!m_scene || !m_colors) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& c = m_theme.colors();
    painter.setPen(c.border);
    painter.setBrush(c.window);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), Theme::kCorner, Theme::kCorner);
    painter.setPen(c.text);
    QFont bold = m_theme.noteFont();
    bold.setPixelSize(12);
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.drawText(QRectF(kMargin, 8, width() - kMargin, 16), Qt::AlignLeft, tr("Tail: last step"));
    painter.setPen(c.muted);
    painter.setFont(m_theme.noteFont());
    painter.drawText(QRectF(kMargin, 24, width() - kMargin, 14), Qt::AlignLeft, subtitle());
    const CellPainter cards(*m_scene, *m_colors, m_theme, m_thumbnails);
    const std::vector<Placed> cells = placedCells();
    for (const Placed& placed : cells) {
        cards.card(painter, placed.rect, placed.cell, false);
        if (m_selected == placed.cell) {
            painter.setPen(QPen(c.text, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(placed.rect.adjusted(-1, -1, 1, 1), 6, 6);
        }
    }
    const auto shown = static_cast<qint64>(cells.size() / 2);
    const auto marked = static_cast<qint64>(markedRanks(m_scene->plan, m_scene->columns()).size());
    const bool onlyMarked = marked > 0 && shown < m_scene->ranks();
    const qint64 more = (onlyMarked ? marked : m_scene->ranks()) - shown;
    if (more > 0) {
        painter.setPen(c.muted);
        painter.setFont(m_theme.noteFont());
        painter.drawText(QRectF(kMargin, height() - kFootHeight, width() - kMargin, 14), Qt::AlignLeft,
                         onlyMarked ? tr("%1 more with a mark").arg(more) : tr("%1 more ranks").arg(more));
    }
}

const TailPanel::Placed* TailPanel::cellAt(QPointF point, const std::vector<Placed>& cells) const {
    const auto found = std::ranges::find_if(cells, [&](const Placed& placed) { return placed.rect.contains(point); });
    const bool full =
        found != cells.end() && cellContent(m_scene->plan, found->cell.rank, found->cell.slot).kind != CellKind::None;
    return full ? &*found : nullptr;
}

void TailPanel::mousePressEvent(QMouseEvent* event) {
    const std::vector<Placed> cells = m_scene ? placedCells() : std::vector<Placed>();
    if (const Placed* placed = m_scene ? cellAt(event->position(), cells) : nullptr) {
        Q_EMIT cellClicked(placed->cell);
    }
}

bool TailPanel::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !m_scene) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::vector<Placed> cells = placedCells();
    const Placed* placed = cellAt(help->pos(), cells);
    QToolTip::showText(help->globalPos(), placed ? cellTip(*m_scene, placed->cell) : QString(), this);
    return true;
}

}  // namespace ringside
