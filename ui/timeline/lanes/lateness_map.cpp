// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lanes/lateness_map.h"

#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "theme/theme.h"
#include "theme/type_length.h"
#include "timeline/lanes/lanes_geometry.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr TypeLength kScale{18};      // height of the colour scale below the map
constexpr float kDarkest = 0.5F;      // lateness with the darkest colour, as a share of the step's length
constexpr TypeLength kNameEvery{14};  // minimum distance between two names of ranks, in pixels
constexpr TypeLength kNameHeight{16};

QColor blend(const QColor& from, const QColor& to, float share) {
    return QColor::fromRgbF(from.redF() + (to.redF() - from.redF()) * share,
                            from.greenF() + (to.greenF() - from.greenF()) * share,
                            from.blueF() + (to.blueF() - from.blueF()) * share);
}

// Returns the colour of a lateness. A square root makes small values visible.
QColor lateColor(float share, const Theme& theme) {
    return blend(theme.colors().grid, theme.colors().warning, std::sqrt(std::min(share / kDarkest, 1.0F)));
}

}  // namespace

LatenessMap::LatenessMap(TimelineModel& model, const Theme& theme, QWidget* parent)
    : Picture(theme, parent), m_model(model) {
    setObjectName(QStringLiteral("latenessMapArea"));
    setAccessibleName(tr("Lateness of each rank by step"));
    connect(&model, &TimelineModel::traceReplaced, this, [this] { m_columns.clear(); });
    connect(&model, &TimelineModel::dataChanged, this, &LatenessMap::read);
    connect(&model, &TimelineModel::viewChanged, this, qOverload<>(&QWidget::update));
    connect(&model, &TimelineModel::choiceChanged, this, qOverload<>(&QWidget::update));
}

void LatenessMap::read() {
    const TraceData* trace = m_model.trace();
    if (trace == nullptr) {
        m_columns.clear();
        return draw();
    }
    std::erase_if(m_columns, [trace](const auto& one) { return trace->find(one.first) == nullptr; });
    bool changed = false;
    for (const auto& [number, step] : trace->steps()) {
        Column& column = m_columns[number];
        if (!step.complete() || column.known == step.known) continue;
        column.known = step.known;
        column.late.clear();
        const double length = std::max(1.0, static_cast<double>(step.endNs - step.beginNs));
        for (std::size_t rank = 0; rank < step.ranks.size(); ++rank)
            column.late.push_back(static_cast<float>(static_cast<double>(latenessOf(step, rank)) / length));
        changed = true;
    }
    if (changed) draw();
}

void LatenessMap::draw() {
    const int ranks = std::max(m_model.ranks(), 1);
    m_image = QImage(std::max(1, static_cast<int>(m_columns.size())), ranks, QImage::Format_RGB32);
    m_image.fill(theme().colors().panel);
    int x = 0;
    for (const auto& [number, column] : m_columns) {
        for (std::size_t rank = 0; rank < column.late.size(); ++rank)
            m_image.setPixelColor(x, static_cast<int>(rank), lateColor(column.late[rank], theme()));
        ++x;
    }
    update();
}

QRectF LatenessMap::area() const {
    const double top = kNameHeight / 2;  // room for the upper half of the first name beside a low row
    return {LanesGeometry::kNames, top, width() - LanesGeometry::kNames - LanesGeometry::kRight,
            height() - kScale - 2 - top};
}

std::int64_t LatenessMap::stepAt(double x) const {
    if (m_columns.empty() || x < area().left() || x >= area().right()) return 0;
    const auto index =
        static_cast<std::ptrdiff_t>((x - area().left()) / area().width() * static_cast<double>(m_columns.size()));
    return std::next(m_columns.begin(), std::min<std::ptrdiff_t>(index, std::ssize(m_columns) - 1))->first;
}

int LatenessMap::rankAt(double y) const {
    return std::clamp(static_cast<int>((y - area().top()) / area().height() * m_model.ranks()), 0,
                      std::max(m_model.ranks() - 1, 0));
}

std::vector<Identity> LatenessMap::identitiesAt(const QPoint& point) const {
    const std::int64_t step = stepAt(point.x());
    if (step == 0) return {};
    return {{IdentityKind::Step, step}, {IdentityKind::Rank, rankAt(point.y())}};
}

void LatenessMap::paintEvent(QPaintEvent*) {
    if (m_columns.empty()) return;
    QPainter painter(this);
    const ThemeColors& c = theme().colors();
    const QRectF at = area();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, m_image.width() > at.width());
    painter.drawImage(at, m_image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme().smallFont());
    painter.setPen(c.muted);
    const double pitch = at.height() / std::max(m_model.ranks(), 1);
    const int every = std::max(1, static_cast<int>(std::ceil(kNameEvery / pitch)));
    for (int rank = 0; rank < m_model.ranks(); rank += every)
        painter.drawText(
            QRectF(10, at.top() + rank * pitch + pitch / 2 - kNameHeight / 2, LanesGeometry::kNames - 18, kNameHeight),
            Qt::AlignLeft | Qt::AlignVCenter, tr("Rank %1").arg(rank));
    const double row = at.top() + m_model.chosenRank() * pitch;
    painter.setPen(QPen(c.accent, 1.5));
    painter.drawRect(QRectF(at.left(), row, at.width(), std::max(pitch, 2.0)));
    const auto [first, last] = m_model.visibleSteps();
    if (first > 0) {
        const double wide = at.width() / static_cast<double>(m_columns.size());
        const auto index = [this](std::int64_t step) {
            return static_cast<double>(std::distance(m_columns.begin(), m_columns.lower_bound(step)));
        };
        painter.setPen(QPen(c.text, 1.6));
        painter.drawRoundedRect(QRectF(at.left() + index(first) * wide, at.top() - 1,
                                       std::max((index(last) - index(first) + 1) * wide, 4.0), at.height() + 2),
                                2, 2);
    }
    painter.setPen(c.muted);
    painter.drawText(
        QRectF(at.left(), at.bottom() + 3, at.width(), kScale - 2), Qt::AlignLeft | Qt::AlignVCenter,
        tr("steps %1 to %2")
            .arg(QLocale().toString(m_columns.begin()->first), QLocale().toString(m_columns.rbegin()->first)));
    const double scale = 90;
    const QString words = tr("lateness: arrival 0 to %1 % of a step after the first rank").arg(qRound(100 * kDarkest));
    painter.drawText(QRectF(at.left(), at.bottom() + 3, at.width() - scale - 8, kScale - 2),
                     Qt::AlignRight | Qt::AlignVCenter, words);
    for (int x = 0; x < static_cast<int>(scale); ++x)
        painter.fillRect(QRectF(at.right() - scale + x, at.bottom() + 7, 1, 9),
                         lateColor(kDarkest * static_cast<float>(x) / static_cast<float>(scale), theme()));
}

void LatenessMap::mousePressEvent(QMouseEvent* event) {
    if (const std::int64_t step = stepAt(event->position().x())) {
        m_model.chooseRank(rankAt(event->position().y()));
        m_model.choose(step);
        m_model.showSteps(step, step);
    }
}

QString LatenessMap::textAt(QPointF at) const {
    const auto column = m_columns.find(stepAt(at.x()));
    if (column == m_columns.end()) return {};
    const int rank = rankAt(at.y());
    if (static_cast<std::size_t>(rank) >= column->second.late.size()) return {};
    return tr("Rank %1, step %2: arrived %3 % of the step's length after the first rank")
        .arg(rank)
        .arg(column->first)
        .arg(qRound(100 * column->second.late[static_cast<std::size_t>(rank)]));
}

Picture::Tip LatenessMap::tipAt(const QPoint& point) const {
    return {textAt(point)};
}

}  // namespace ringside
