// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_legend.h"

#include <QMouseEvent>
#include <QPainter>
#include <QtMath>
#include <algorithm>
#include <utility>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kHeight{18};
constexpr int kMark = 14, kGap = 5, kBetween = 12;

// Returns the width of a text in whole pixels. Rounds up, because elidedText() shortens a text even if only a fraction
// of a pixel is missing.
int textWidth(const QFont& font, const QString& text) {
    return qCeil(QFontMetricsF(font).horizontalAdvance(text));
}

}  // namespace

ChartLegend::ChartLegend(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setToolTip(tr("Click a name to hide or show its curve. Double-click a name to show only its curve."));
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ChartLegend::setCurves(const std::vector<Curve>& curves) {
    std::vector<Entry> entries;
    for (const Curve& curve : curves) {
        entries.push_back({curve.key, curve.name, curve.color, curve.kind == Curve::Kind::MarkedLine, curve.rank});
    }
    if (entries != m_entries) {
        m_entries = std::move(entries);
        updateGeometry();
        update();
    }
}

std::vector<std::pair<ChartLegend::Entry, QRect>> ChartLegend::placed() const {
    std::vector<std::pair<Entry, QRect>> result;
    const QFont font = m_theme.smallFont();
    int x = 0;
    for (std::size_t at = 0; at < m_entries.size(); ++at) {
        const Entry& entry = m_entries[at];
        const std::size_t after = m_entries.size() - at - 1;
        const int own = kMark + kGap + textWidth(font, entry.name);
        // An entry is shown only if a text such as "+3" (the number of entries that are not shown) still fits after it.
        const int reserve = after == 0 ? 0 : kBetween + textWidth(font, moreText(after));
        if (x + own + reserve > width() && (!result.empty() || after > 0)) break;
        result.push_back({entry, QRect(x, 0, own, kHeight)});
        x += own + kBetween;
    }
    if (const std::size_t left = m_entries.size() - result.size(); left > 0) {
        x += textWidth(font, moreText(left)) + kBetween;
    }
    // free width in pixels; the entries move to the right by this distance, to the right edge
    const int spare = m_atRight ? std::max(0, width() - (x - kBetween)) : 0;
    for (auto& [entry, rect] : result) rect.translate(spare, 0);
    return result;
}

QString ChartLegend::moreText(std::size_t entries) {
    return tr("+%1").arg(entries);
}

QSize ChartLegend::sizeHint() const {
    const QFont font = m_theme.smallFont();
    int width = 0;
    for (const Entry& entry : m_entries) width += kMark + kGap + textWidth(font, entry.name) + kBetween;
    return {std::max(0, width - kBetween), kHeight};
}

int ChartLegend::firstNameWidth() const {
    if (m_entries.empty()) return 0;
    const QFont font = m_theme.smallFont();
    const int name = kMark + kGap + textWidth(font, m_entries.front().name);
    const std::size_t others = m_entries.size() - 1;
    return others == 0 ? name : name + kBetween + textWidth(font, moreText(others));
}

void ChartLegend::setAtRight(bool right) {
    if (std::exchange(m_atRight, right) != right) update();
}

QRect ChartLegend::entryRect(const QString& key) const {
    for (const auto& [entry, rect] : placed()) {
        if (entry.key == key) return rect;
    }
    return {};
}

void ChartLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_theme.smallFont());
    const auto shown = placed();
    const std::size_t left = m_entries.size() - shown.size();
    if (left > 0 && textWidth(painter.font(), moreText(left)) <= width()) {
        painter.setPen(m_theme.colors().muted);
        painter.drawText(QRect(0, 0, width(), kHeight), Qt::AlignRight | Qt::AlignVCenter, moreText(left));
    }
    for (const auto& [entry, rect] : shown) {
        const bool hidden = m_hidden.contains(entry.key);
        const QColor color = hidden ? m_theme.colors().border : entry.color;
        const QPointF middle(rect.left() + kMark / 2.0, rect.center().y() + 0.5);
        painter.setPen(QPen(color, 2, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(rect.left() + 1, middle.y()), QPointF(rect.left() + kMark - 1, middle.y()));
        if (entry.marked) {
            painter.setBrush(m_theme.colors().panel);
            painter.drawEllipse(middle, 3, 3);
        }
        painter.setPen(hidden ? m_theme.colors().border : m_theme.colors().muted);
        const QRect name = rect.adjusted(kMark + kGap, 0, 0, 0).intersected(this->rect());
        painter.drawText(name, Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(entry.name, Qt::ElideRight, name.width()));
    }
}

const ChartLegend::Entry* ChartLegend::entryAt(QPoint point) const {
    const auto all = placed();
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (all[at].second.contains(point)) return &m_entries[at];
    }
    return nullptr;
}

std::vector<Identity> ChartLegend::identitiesAt(const QPoint& point) const {
    for (const auto& [entry, rect] : placed())
        if (rect.contains(point) && entry.rank >= 0) return {{IdentityKind::Rank, entry.rank}};
    return {};
}

void ChartLegend::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    const Entry* entry = entryAt(event->position().toPoint());
    if (entry == nullptr) {
        return;
    }
    m_hiddenBefore = m_hidden;
    if (m_hidden.erase(entry->key) == 0) {
        m_hidden.insert(entry->key);
    }
    update();
    Q_EMIT hiddenChanged(m_hidden);
}

void ChartLegend::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const Entry* entry = entryAt(event->position().toPoint())) {
        showOnly(entry->key);
    }
}

void ChartLegend::showOnly(const QString& key) {
    std::set<QString> others;
    for (const Entry& entry : m_entries) {
        if (entry.key != key) others.insert(entry.key);
    }
    m_hidden = m_hiddenBefore == others ? std::set<QString>() : others;
    update();
    Q_EMIT hiddenChanged(m_hidden);
}

}  // namespace ringside
