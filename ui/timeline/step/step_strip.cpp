// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/step/step_strip.h"

#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "theme/theme.h"
#include "theme/type_length.h"
#include "timeline/model/phase_columns.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr TypePixels kTop{18};        // height of the texts above the bars
constexpr std::size_t kMinSide = 10;  // minimum number of steps before and after a change of the step time
constexpr double kMinTurn = 1.35;     // minimum ratio of the step times before and after a change
// share of the steps whose bars fit completely into the strip; longer bars are cut off
constexpr double kHighest = 0.98;
constexpr double kMinWindow = 6;

}  // namespace

StepStrip::StepStrip(TimelineModel& model, const Theme& theme, QWidget* parent)
    : Picture(theme, parent), m_model(model) {
    setObjectName(QStringLiteral("stepStripArea"));
    setAccessibleName(tr("Time per step"));
    setToolTip(
        tr("Time per step by phase, mean of the ranks, without pauses. Two short lines mark a step with a "
           "pause. Drag the frame to see other steps."));
    setCursor(Qt::PointingHandCursor);
    connect(&model, &TimelineModel::traceReplaced, this, [this] { m_bars.clear(); });
    connect(&model, &TimelineModel::dataChanged, this, &StepStrip::read);
    connect(&model, &TimelineModel::viewChanged, this, qOverload<>(&QWidget::update));
    read();
}

// Reads new steps. Steps that are complete are read once, because they do not change any more.
void StepStrip::read() {
    const TraceData* trace = m_model.trace();
    if (trace == nullptr) {
        m_bars.clear();
        return draw();
    }
    m_bars.erase(m_bars.begin(), m_bars.lower_bound(trace->steps().begin()->first));
    for (const auto& [number, step] : trace->steps()) {
        Bar& bar = m_bars[number];
        if (bar.known == step.known) continue;
        bar = {step.known, {}, 0, 0};
        for (const RankTrace& rank : step.ranks) {
            if (!rank.known) continue;
            for (std::size_t phase = 0; phase < rank.times.size(); ++phase)
                bar.ns[phase] += static_cast<float>(rank.times[phase]) / static_cast<float>(step.known);
        }
        bar.paused = std::exchange(bar.ns[static_cast<std::size_t>(Phase::kPaused)], 0.0F);
        for (const float ns : bar.ns) bar.whole += ns;
    }
    std::erase_if(m_bars, [trace](const auto& bar) { return trace->find(bar.first) == nullptr; });
    m_changePoint = findChangePoint();
    draw();
}

double StepStrip::highest() const {
    std::vector<float> wholes;
    for (const auto& [number, bar] : m_bars) wholes.push_back(bar.whole);
    if (wholes.empty()) return 1;
    const auto at = wholes.begin() + static_cast<std::ptrdiff_t>(kHighest * static_cast<double>(wholes.size() - 1));
    std::ranges::nth_element(wholes, at);
    return 1.15 * std::max(*at, 1.0F);
}

void StepStrip::draw() {
    const int pixels = std::max(1, static_cast<int>(width() * devicePixelRatioF()));
    const int height = std::max(1, static_cast<int>((this->height() - kTop) * devicePixelRatioF()));
    PhaseColumns columns(pixels);
    m_fullNs = highest();
    const double share = static_cast<double>(pixels) / static_cast<double>(std::max<std::size_t>(m_bars.size(), 1));
    std::vector<int> inColumn(static_cast<std::size_t>(pixels));
    std::vector<double> heights(static_cast<std::size_t>(pixels));
    double at = 0;
    for (const auto& [number, bar] : m_bars) {
        const int first = static_cast<int>(at);
        const bool apart = share >= 4;  // true if bars are wide enough for a gap between them
        const int last = std::max(first, static_cast<int>(at + share) - (apart ? 2 : 1));
        for (int x = first; x <= last && x < pixels; ++x) {
            ++inColumn[static_cast<std::size_t>(x)];
            heights[static_cast<std::size_t>(x)] += static_cast<double>(bar.whole);
            for (const Phase phase : kStackedPhases)
                columns.add(x, phase, static_cast<double>(bar.ns[static_cast<std::size_t>(phase)]));
        }
        at += share;
    }
    const double fullNs = m_fullNs * std::max(1, *std::ranges::max_element(inColumn));
    m_isCut = *std::ranges::max_element(heights) > fullNs;
    m_image = columns.draw(height, fullNs, theme());
    m_image.setDevicePixelRatio(devicePixelRatioF());
    update();
}

double StepStrip::xOf(std::int64_t step) const {
    const auto at = static_cast<double>(std::distance(m_bars.begin(), m_bars.lower_bound(step)));
    return (at + 0.5) * width() / static_cast<double>(std::max<std::size_t>(m_bars.size(), 1));
}

QRectF StepStrip::window() const {
    const auto [first, last] = m_model.visibleSteps();
    if (first == 0 || m_bars.empty()) return {};
    const double half = width() / 2.0 / static_cast<double>(m_bars.size());
    const double from = xOf(first) - half, to = xOf(last) + half;
    const double room = std::max(0.0, kMinWindow - (to - from)) / 2;
    return QRectF(from - room, kTop - 1, to - from + 2 * room, height() - kTop)
        .intersected(QRectF(rect()).adjusted(1, 0, -1, -1));
}

QString StepStrip::scaleText() const {
    const QString full = millisecondsText(m_fullNs / 1e6);
    return m_isCut ? tr("full height: %1; taller bars are cut").arg(full) : tr("full height: %1").arg(full);
}

void StepStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.drawImage(QPointF(0, kTop), m_image);
    const ThemeColors& c = theme().colors();
    painter.setFont(theme().smallFont());
    painter.setPen(c.muted);
    // The other side has the text of a change of the step time.
    const bool isChangeRight = m_changePoint && xOf(*m_changePoint) > width() / 2.0;
    painter.drawText(QRectF(0, 0, width(), kTop - 4), (isChangeRight ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignTop,
                     scaleText());
    paintPauses(painter);
    if (m_changePoint) {
        const double x = xOf(*m_changePoint) - width() / 2.0 / static_cast<double>(m_bars.size());
        painter.setPen(QPen(c.danger, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, 2), QPointF(x, height()));
        const QString text = tr("from step %1").arg(QLocale().toString(*m_changePoint));
        const double wide = painter.fontMetrics().horizontalAdvance(text);
        painter.setPen(c.danger);
        painter.drawText(QPointF(x > wide + 8 ? x - wide - 5 : x + 5, 10), text);
    }
    const QRectF frame = window();
    if (frame.isEmpty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(c.text, 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(frame, 3, 3);
}

// Marks steps with a pause by two lines at the top, because the bars contain no paused time.
void StepStrip::paintPauses(QPainter& painter) const {
    constexpr double kLine = 2, kHeight = 7;
    const float least = 0.01F * static_cast<float>(m_fullNs);
    for (const auto& [number, bar] : m_bars) {
        if (bar.paused <= least) continue;
        const double x = xOf(number);
        for (const double left : {x - 1.5 * kLine, x + 0.5 * kLine})
            painter.fillRect(QRectF(left, kTop + 1, kLine, kHeight), theme().colors().muted);
    }
}

void StepStrip::resizeEvent(QResizeEvent*) {
    draw();
}

// Moves the frame of the visible steps to the pointer. The number of visible steps stays the same.
void StepStrip::moveWindow(double x) {
    if (m_bars.empty()) return;
    const auto [first, last] = m_model.visibleSteps();
    const auto count = static_cast<std::ptrdiff_t>(m_bars.size());
    const auto index = static_cast<std::ptrdiff_t>(x / width() * static_cast<double>(count));
    auto wide = static_cast<std::ptrdiff_t>(1);
    if (first > 0) wide = std::max<std::ptrdiff_t>(std::distance(m_bars.find(first), m_bars.find(last)) + 1, 1);
    const std::ptrdiff_t from =
        std::clamp<std::ptrdiff_t>(index - wide / 2, 0, std::max<std::ptrdiff_t>(count - wide, 0));
    m_model.showSteps(std::next(m_bars.begin(), from)->first,
                      std::next(m_bars.begin(), std::min(from + wide - 1, count - 1))->first);
}

std::vector<Identity> StepStrip::identitiesAt(const QPoint& point) const {
    if (m_bars.empty() || point.x() < 0 || point.x() >= width()) return {};
    const auto index = static_cast<std::ptrdiff_t>(point.x()) * std::ssize(m_bars) / width();
    return {{IdentityKind::Step, std::next(m_bars.begin(), index)->first}};
}

void StepStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) moveWindow(event->position().x());
}

void StepStrip::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) moveWindow(event->position().x());
}

// Returns the first step after a change of the step time; empty if there is none. The change is the division of all
// steps into two parts that explains most of the variance of the logarithm of their times. It must explain at least 60
// % of the variance, and the geometric mean of the times must change by at least the factor kMinTurn (1.35).
std::optional<std::int64_t> StepStrip::findChangePoint() const {
    std::vector<double> logs;
    std::vector<std::int64_t> numbers;
    for (const auto& [number, bar] : m_bars) {
        logs.push_back(std::log(std::max(bar.whole, 1.0F)));
        numbers.push_back(number);
    }
    if (logs.size() < 2 * kMinSide) return {};
    double all = 0, squares = 0;
    for (const double value : logs) {
        all += value;
        squares += value * value;
    }
    const auto n = static_cast<double>(logs.size());
    double before = 0, best = 0;
    std::size_t found = 0;
    for (std::size_t i = 0; i + kMinSide < logs.size(); ++i) {
        before += logs[i];
        if (i + 1 < kMinSide) continue;
        const double left = static_cast<double>(i + 1), right = n - left;
        const double between = before * before / left + (all - before) * (all - before) / right - all * all / n;
        if (between <= best) continue;
        best = between;
        found = i + 1;
    }
    const double spread = squares - all * all / n;
    if (found == 0 || best < 0.6 * spread) return {};
    double first = 0;
    for (std::size_t i = 0; i < found; ++i) first += logs[i];
    const double change = (all - first) / (n - static_cast<double>(found)) - first / static_cast<double>(found);
    return std::abs(change) >= std::log(kMinTurn) ? std::optional(numbers[found]) : std::nullopt;
}

}  // namespace ringside
