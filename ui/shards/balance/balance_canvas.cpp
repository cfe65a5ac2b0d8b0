// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/balance_canvas.h"

#include <QCoreApplication>
#include <QImage>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "sampling/findings/class_balance.h"
#include "shards/cells/cell_colors.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kStepNamesWidth{72};
constexpr TypePixels kHeadHeight{20};
constexpr TypeLength kMinRow{36}, kLargestRow{84};
constexpr double kRowGap = 8;
constexpr int kCanvasBarWidth = 10;
constexpr double kMinName = 24;  // minimum width of a class, in pixels, at which its name is drawn
// deviation from the expected number at which the colour is strongest, in half widths of the range expected by chance
constexpr double kStrongest = 2;

}  // namespace

BalanceCanvas::BalanceCanvas(Theme& theme, QWidget* parent) : Picture(theme, parent), m_scrollBar(Qt::Vertical, this) {
    setObjectName(QStringLiteral("balanceCanvas"));
    setAccessibleName(tr("Class balance: samples of each class compared with the number expected by chance"));
    setFocusPolicy(Qt::StrongFocus);
    m_scrollBar.setObjectName(QStringLiteral("balanceScrollBar"));
    connect(&m_scrollBar, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
}

void BalanceCanvas::setCounts(const Counts& counts) {
    m_counts = counts;
    arrange();
    update();
}

void BalanceCanvas::setMarkedRow(std::optional<qint64> row) {
    m_marked = row;
    update();
}

QSize BalanceCanvas::minimumSizeHint() const {
    return {kStepNamesWidth, kHeadHeight + static_cast<int>(2 * kMinRow)};
}

double BalanceCanvas::rowHeight() const {
    const auto rows = static_cast<double>(std::max<qint64>(1, m_counts.rows));
    return std::clamp<double>((height() - kHeadHeight) / rows, kMinRow, kLargestRow);
}

qint64 BalanceCanvas::rowsInSight() const {
    return std::max<qint64>(1, static_cast<qint64>((height() - kHeadHeight) / rowHeight()));
}

void BalanceCanvas::arrange() {
    const qint64 hidden = std::max<qint64>(0, m_counts.rows - rowsInSight());
    m_scrollBar.setRange(0, static_cast<int>(hidden));
    m_scrollBar.setPageStep(static_cast<int>(rowsInSight()));
    m_scrollBar.setVisible(hidden > 0);
    m_scrollBar.setGeometry(width() - kCanvasBarWidth, kHeadHeight, kCanvasBarWidth, height() - kHeadHeight);
}

void BalanceCanvas::resizeEvent(QResizeEvent*) {
    arrange();
    Q_EMIT resized();
}

QRectF BalanceCanvas::cell(qint64 row, int label) const {
    const double room = width() - kStepNamesWidth - kCanvasBarWidth - 2;
    const double pitch = room / std::max(1, m_counts.classes);
    const double gap = pitch >= kMinBar ? std::min(4.0, pitch * 0.2) : 0;
    return {kStepNamesWidth + label * pitch, kHeadHeight + static_cast<double>(row - m_scrollBar.value()) * rowHeight(),
            pitch - gap, rowHeight() - kRowGap};
}

// Returns how far the number of samples of a class in a row is from the expected number, in half widths of the range
// expected by chance. Returns 0 if the range contains only the expected number.
double BalanceCanvas::deviation(qint64 row, int label) const {
    const ChanceBand band = m_counts.band(row, label);
    const double half = band.high - band.expected;
    return half > 0 ? (static_cast<double>(m_counts.count(row, label)) - band.expected) / half : 0;
}

QColor BalanceCanvas::colorOf(double deviation) const {
    const ThemeColors& c = theme().colors();
    return mixed(c.grid, deviation > 0 ? c.accent : c.warning, std::min(1.0, std::abs(deviation) / kStrongest));
}

void BalanceCanvas::paintEvent(QPaintEvent*) {
    if (m_counts.rows == 0 || m_counts.classes == 0) return;
    QPainter painter(this);
    const qint64 first = m_scrollBar.value();
    const qint64 last = std::min(m_counts.rows, first + rowsInSight() + 1);
    m_scale = 1;
    for (qint64 row = first; row < last; ++row) {
        for (int label = 0; label < m_counts.classes; ++label) {
            m_scale =
                std::max({m_scale, m_counts.band(row, label).high, static_cast<double>(m_counts.count(row, label))});
        }
    }
    drawClassNames(painter);
    for (qint64 row = first; row < last; ++row) drawRow(painter, row);
}

void BalanceCanvas::drawClassNames(QPainter& painter) const {
    if (cell(0, 0).width() < kMinName) return;
    painter.setFont(theme().smallFont());
    painter.setPen(theme().colors().muted);
    for (int label = 0; label < m_counts.classes; ++label) {
        const QRectF box = cell(0, label);
        const QString name =
            painter.fontMetrics().elidedText(m_counts.className(label), Qt::ElideRight, static_cast<int>(box.width()));
        painter.drawText(QRectF(box.left(), 0, box.width(), kHeadHeight - 4), Qt::AlignHCenter | Qt::AlignVCenter,
                         name);
    }
}

void BalanceCanvas::drawRow(QPainter& painter, qint64 row) const {
    const QRectF first = cell(row, 0);
    const bool marked = m_marked == row;
    painter.setFont(marked ? theme().numberFont() : theme().bodyFont());
    painter.setPen(theme().colors().text);
    painter.drawText(QRectF(0, first.top(), kStepNamesWidth - 8, first.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     m_counts.rowName(row));
    if (!showsBars()) return drawImageRow(painter, row);
    for (int label = 0; label < m_counts.classes; ++label) drawBar(painter, row, label, cell(row, label));
}

void BalanceCanvas::drawBar(QPainter& painter, qint64 row, int label, const QRectF& box) const {
    const ThemeColors& c = theme().colors();
    const ChanceBand band = m_counts.band(row, label);
    const std::int64_t count = m_counts.count(row, label);
    const auto yOf = [&](double value) { return box.bottom() - value / m_scale * box.height(); };
    const double top = yOf(band.high);
    painter.fillRect(QRectF(box.left(), top, box.width(), std::max(2.0, yOf(band.low) - top)), c.border);
    const double inset = box.width() * 0.18;
    const double bar = yOf(static_cast<double>(count));
    const bool outside = isOutside(count, band);
    painter.fillRect(QRectF(box.left() + inset, bar, box.width() - 2 * inset, box.bottom() - bar),
                     outside ? c.danger : m_counts.rowColor(row));
    painter.fillRect(QRectF(box.left(), yOf(band.expected) - 0.5, box.width(), 1), c.muted);
}

// Draws a row that has several classes per pixel. Each pixel has the colour of its class with the largest deviation
// from the expected count.
void BalanceCanvas::drawImageRow(QPainter& painter, qint64 row) const {
    const QRectF whole(cell(row, 0).topLeft(), cell(row, m_counts.classes - 1).bottomRight());
    const int width = std::max(1, static_cast<int>(whole.width()));
    std::vector<double> farthest(static_cast<std::size_t>(width));
    for (int label = 0; label < m_counts.classes; ++label) {
        const auto from = static_cast<std::size_t>(std::int64_t{label} * width / m_counts.classes);
        const auto to = static_cast<std::size_t>((std::int64_t{label} + 1) * width / m_counts.classes);
        const double own = deviation(row, label);
        for (std::size_t x = from; x < std::max(to, from + 1); ++x) {
            if (std::abs(own) > std::abs(farthest[x])) farthest[x] = own;
        }
    }
    QImage strip(width, 1, QImage::Format_RGB32);
    auto* pixels = reinterpret_cast<QRgb*>(strip.scanLine(0));
    for (int x = 0; x < width; ++x) pixels[x] = colorOf(farthest[static_cast<std::size_t>(x)]).rgb();
    painter.drawImage(whole, strip);
}

std::optional<qint64> BalanceCanvas::rowAt(double y) const {
    const auto row = static_cast<qint64>(std::floor((y - kHeadHeight) / rowHeight())) + m_scrollBar.value();
    return y < kHeadHeight || row >= m_counts.rows || m_counts.classes == 0 ? std::nullopt : std::optional(row);
}

std::vector<Identity> BalanceCanvas::identitiesAt(const QPoint& point) const {
    const auto row = rowAt(point.y());
    return row && m_counts.identity ? std::vector{m_counts.identity(*row)} : std::vector<Identity>();
}

QString BalanceCanvas::tip(QPointF point) const {
    const auto found = rowAt(point.y());
    if (!found) return {};
    const qint64 row = *found;
    const double share = (point.x() - kStepNamesWidth) / (width() - kStepNamesWidth - kCanvasBarWidth - 2);
    const auto label = static_cast<int>(std::floor(share * m_counts.classes));
    if (label < 0 || label >= m_counts.classes) return {};
    const ChanceBand band = m_counts.band(row, label);
    const std::int64_t count = m_counts.count(row, label);
    const QString verdict =
        isOutside(count, band) ? tr("outside the range expected by chance") : tr("within the range expected by chance");
    return tr("%1, class %2: %3 samples\nexpected %4; 95 % of random assignments give %5 to %6: %7")
        .arg(m_counts.rowName(row), m_counts.className(label))
        .arg(count)
        .arg(band.expected, 0, 'f', 1)
        .arg(std::floor(band.low))
        .arg(std::ceil(band.high))
        .arg(verdict);
}

void BalanceCanvas::wheelEvent(QWheelEvent* event) {
    QCoreApplication::sendEvent(&m_scrollBar, event);
}

void BalanceCanvas::keyPressEvent(QKeyEvent* event) {
    using Action = QAbstractSlider::SliderAction;
    switch (event->key()) {
        case Qt::Key_Down:
            return m_scrollBar.triggerAction(Action::SliderSingleStepAdd);
        case Qt::Key_Up:
            return m_scrollBar.triggerAction(Action::SliderSingleStepSub);
        case Qt::Key_PageDown:
            return m_scrollBar.triggerAction(Action::SliderPageStepAdd);
        case Qt::Key_PageUp:
            return m_scrollBar.triggerAction(Action::SliderPageStepSub);
        case Qt::Key_Home:
            return m_scrollBar.triggerAction(Action::SliderToMinimum);
        case Qt::Key_End:
            return m_scrollBar.triggerAction(Action::SliderToMaximum);
        default:
            QWidget::keyPressEvent(event);
    }
}

Picture::Tip BalanceCanvas::tipAt(const QPoint& point) const {
    return {tip(point)};
}

}  // namespace ringside
