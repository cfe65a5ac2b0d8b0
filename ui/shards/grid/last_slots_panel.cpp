// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/last_slots_panel.h"

#include <QCoreApplication>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <limits>

#include "shards/grid/picture/grid_marks.h"
#include "shards/scene/cell_identities.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr double kCardMargin = 12;
constexpr TypeLength kTitleHeight{44};
constexpr double kCardSide = 62;
constexpr double kTallCard = 74;  // height of a card with the rank below the index
constexpr double kCardGap = 8;
constexpr int kLastSlotsBarWidth = 10;
constexpr TypePixels kTitlePixels{12};

// True if all duplicates and dropped samples are in the last two cells of their ranks.
bool lastTwoShowAll(const ShardScene& scene) {
    for (int rank = 0; rank < scene.ranks(); ++rank) {
        const std::vector<MarkRun> runs = markRuns(scene, rank);
        if (!runs.empty() && runs.front().span.first < scene.columns() - 2) return false;
    }
    return true;
}

}  // namespace

LastSlotsPanel::LastSlotsPanel(Theme& theme, QWidget* parent)
    : Picture(theme, parent), m_scrollBar(Qt::Vertical, this) {
    setObjectName(QStringLiteral("lastSlotsPanel"));
    setAccessibleName(tr("Last slots: duplicates and dropped samples"));
    setFixedWidth(static_cast<int>(2 * (kCardSide + kCardMargin) + kCardGap));
    setMouseTracking(true);
    m_scrollBar.setObjectName(QStringLiteral("lastSlotsScrollBar"));
    connect(&m_scrollBar, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    connect(&m_thumbnails, &Thumbnails::arrived, this, qOverload<>(&QWidget::update));
}

void LastSlotsPanel::setScene(std::optional<ShardScene> scene) {
    m_scene = std::move(scene);
    if (m_scene) {
        m_thumbnails.setData(m_scene->data);
        m_marked = markCount(*m_scene);
    }
    arrange();
    restyle();
}

void LastSlotsPanel::setColorBy(ColorBy by) {
    m_by = by;
    restyle();
}

void LastSlotsPanel::setSelected(std::optional<GridCell> cell) {
    m_selected = cell;
    update();
}

void LastSlotsPanel::restyle() {
    m_colors.reset();
    if (m_scene) {
        m_colors.emplace(m_by, *m_scene, theme());
        m_thumbnails.setColors(theme().colors().panel, theme().colors().text);
    }
    update();
}

// Computes the visible cells and the scroll range.
void LastSlotsPanel::arrange() {
    if (!m_scene) return;
    m_onlyMarked = false;
    const bool all = m_marked == 0 || (m_scene->ranks() <= rowsInSight() && lastTwoShowAll(*m_scene));
    m_onlyMarked = !all;
    const qint64 rows = m_onlyMarked ? (m_marked + 1) / 2 : m_scene->ranks();
    const auto hidden = std::max<qint64>(0, rows - rowsInSight());
    m_scrollBar.setRange(0, static_cast<int>(std::min<qint64>(hidden, std::numeric_limits<int>::max())));
    m_scrollBar.setPageStep(std::max(1, rowsInSight()));
    m_scrollBar.setVisible(hidden > 0);
    m_scrollBar.setGeometry(width() - kLastSlotsBarWidth - 1, static_cast<int>(kTitleHeight), kLastSlotsBarWidth,
                            height() - static_cast<int>(kTitleHeight + kCardGap));
}

void LastSlotsPanel::resizeEvent(QResizeEvent*) {
    arrange();
}

double LastSlotsPanel::rowHeight() const {
    return (m_onlyMarked ? kTallCard : kCardSide) + kCardGap;
}

int LastSlotsPanel::rowsInSight() const {
    return std::max(0, static_cast<int>((height() - kTitleHeight) / rowHeight()));
}

std::vector<LastSlotsPanel::Placed> LastSlotsPanel::placedCells() const {
    std::vector<GridCell> cells;
    const qint64 rows = rowsInSight();
    const qint64 first = m_scrollBar.value();
    if (m_onlyMarked) {
        cells = markedCells(*m_scene, 2 * first, 2 * rows);
    } else {
        for (qint64 rank = first; rank < std::min<qint64>(first + rows, m_scene->ranks()); ++rank) {
            for (const int back : {2, 1}) cells.push_back({static_cast<int>(rank), m_scene->columns() - back});
        }
    }
    std::vector<Placed> placed;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].slot < 0) continue;
        const std::size_t line = i / 2;
        const auto row = static_cast<double>(line), column = static_cast<double>(i % 2);
        placed.push_back({cells[i], QRectF(kCardMargin + column * (kCardSide + kCardGap),
                                           kTitleHeight + row * rowHeight(), kCardSide, rowHeight() - kCardGap)});
    }
    return placed;
}

// Returns the line below the title: the number of duplicates and dropped samples, or the meaning of their outlines. If
// none exist, returns a text that fits into the width; empty if samples are repeated without being marked, because of a
// mistake or of the kind of the sampler.
QString LastSlotsPanel::subtitle(const QFontMetrics& metrics, double width) const {
    const ShardPlan& plan = m_scene->plan;
    const bool dropped = !plan.dropped().empty() || plan.droppedByLoader() > 0;
    if (m_marked == 0) {
        const ShardSpec& spec = plan.spec();
        if (spec.pitfalls.any() || isReplicated(spec.kind) || mayRepeatSamples(spec.kind)) return {};
        for (const QString& text : {tr("no duplicates or dropped samples"), tr("none repeated or dropped")})
            if (metrics.horizontalAdvance(text) <= width) return text;
        return tr("nothing marked");
    }
    if (m_onlyMarked) {
        const QString count = QLocale().toString(m_marked);
        return dropped
                   ? plan.padding() > 0 ? tr("all %1 repeated or dropped").arg(count) : tr("all %1 dropped").arg(count)
               : m_marked == 1 ? tr("1 duplicate")
                               : tr("all %1 duplicates").arg(count);
    }
    return dropped ? tr("dashed: dropped") : tr("outlined: duplicates");
}

void LastSlotsPanel::paintEvent(QPaintEvent*) {
    if (!m_scene || !m_colors) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawHead(painter);
    const CellPainter cards(*m_scene, *m_colors, theme(), m_thumbnails);
    for (const Placed& placed : placedCells()) {
        const QString rank = m_onlyMarked ? tr("rank %1").arg(placed.cell.rank) : QString();
        const bool isAssigned = placed.cell.slot < m_scene->plan.samplesPerRank();
        cards.card(painter, placed.rect, placed.cell, m_onlyMarked, isAssigned ? rank : QString());
        if (m_selected == placed.cell) {
            painter.setPen(QPen(theme().colors().text, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(placed.rect.adjusted(-1, -1, 1, 1), Theme::kCorner, Theme::kCorner);
        }
    }
}

void LastSlotsPanel::drawHead(QPainter& painter) const {
    const ThemeColors& c = theme().colors();
    painter.setPen(c.border);
    painter.setBrush(c.window);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), Theme::kCorner, Theme::kCorner);
    painter.setPen(c.text);
    QFont bold = theme().smallFont();
    bold.setPixelSize(kTitlePixels);
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.drawText(QRectF(kCardMargin, 8, width() - kCardMargin, 16), Qt::AlignLeft,
                     m_onlyMarked ? tr("Marked samples") : tr("Last slots"));
    painter.setPen(c.muted);
    painter.setFont(theme().smallFont());
    const QRectF line(kCardMargin, 24, width() - kCardMargin, 14);
    const QString fitting = painter.fontMetrics().elidedText(subtitle(painter.fontMetrics(), line.width()),
                                                             Qt::ElideRight, static_cast<int>(line.width()));
    painter.drawText(line, Qt::AlignLeft, fitting);
}

std::optional<GridCell> LastSlotsPanel::cellAt(QPointF point) const {
    for (const Placed& placed : m_scene ? placedCells() : std::vector<Placed>()) {
        const bool empty = cellContent(m_scene->plan, placed.cell.rank, placed.cell.slot).kind == CellKind::None;
        if (placed.rect.contains(point) && !empty) return placed.cell;
    }
    return {};
}

std::vector<Identity> LastSlotsPanel::identitiesAt(const QPoint& point) const {
    const auto cell = cellAt(point);
    return cell ? identitiesOf(*m_scene, *cell) : std::vector<Identity>();
}

void LastSlotsPanel::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    if (const auto cell = cellAt(event->position())) Q_EMIT cellClicked(*cell);
}

void LastSlotsPanel::mouseMoveEvent(QMouseEvent* event) {
    Q_EMIT cellHovered(cellAt(event->position()));
}

void LastSlotsPanel::leaveEvent(QEvent*) {
    Q_EMIT cellHovered({});
}

void LastSlotsPanel::wheelEvent(QWheelEvent* event) {
    QCoreApplication::sendEvent(&m_scrollBar, event);
}

}  // namespace ringside
