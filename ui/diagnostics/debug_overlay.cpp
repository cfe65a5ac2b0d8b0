// SPDX-License-Identifier: GPL-3.0-or-later
#include "diagnostics/debug_overlay.h"

#include <unistd.h>

#include <QFile>
#include <QLocale>
#include <QMetaEnum>
#include <QVBoxLayout>

#include "base/text/number_text.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kRefreshMs = 500;

QString milliseconds(double ms) {
    return QStringLiteral("%1 ms").arg(QLocale().toString(ms, 'f', 1));
}

QString longestText(const EventTimes::Event& event) {
    if (event.receiver.empty()) return DebugOverlay::tr("none yet");
    const char* type = QMetaEnum::fromType<QEvent::Type>().valueToKey(event.type);
    return QStringLiteral("%1<br>%2, %3")
        .arg(milliseconds(event.processorMs), QString::fromStdString(event.receiver).section(QStringLiteral("::"), -1),
             QLatin1String(type == nullptr ? "event" : type));
}

QString row(const QString& name, const QString& value) {
    return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align='right'><b>%2</b></td></tr>").arg(name, value);
}

}  // namespace

DebugOverlay::DebugOverlay(EventTimes& times, std::function<PageFigures()> figures, QWidget* parent)
    : QFrame(parent), m_times(times), m_figures(std::move(figures)) {
    setObjectName(QStringLiteral("debugOverlay"));
    setAccessibleName(tr("Drawing performance"));
    setProperty("role", "panel");
    setToolTip(tr("Current drawing times. Click to reset, Ctrl+Shift+D to hide."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(Theme::kSpace3, Theme::kSpace2, Theme::kSpace3, Theme::kSpace2);
    m_text = new QLabel;
    m_text->setObjectName(QStringLiteral("debugOverlayLabel"));
    m_text->setProperty("role", "note");
    layout->addWidget(m_text);
    m_timer.setInterval(kRefreshMs);
    connect(&m_timer, &QTimer::timeout, this, &DebugOverlay::refresh);
    parent->installEventFilter(this);
    hide();
}

void DebugOverlay::showEvent(QShowEvent*) {
    m_times.setWatching(true);
    m_timer.start();
    refresh();
    raise();
}

void DebugOverlay::hideEvent(QHideEvent*) {
    m_timer.stop();
    m_times.setWatching(false);
}

void DebugOverlay::mousePressEvent(QMouseEvent*) {
    m_times.clear();
    refresh();
}

bool DebugOverlay::eventFilter(QObject*, QEvent* event) {
    if (event->type() == QEvent::Resize) moveToCorner();
    return false;
}

void DebugOverlay::refresh() {
    const PageFigures figures = m_figures();
    const QLocale locale;
    m_text->setText(
        QStringLiteral("<table cellspacing='0'>") + row(tr("Current frame"), milliseconds(m_times.frameMs())) +
        row(tr("Frame, 99th percentile"), milliseconds(m_times.frameP99Ms())) +
        row(tr("Longest event"), longestText(m_times.longest())) +
        row(tr("Last shard plan computed in"), milliseconds(figures.planMs)) +
        row(tr("Shard plans computed, taken from the cache"),
            QStringLiteral("%1, %2").arg(locale.toString(figures.plansMade), locale.toString(figures.cacheHits))) +
        row(tr("Samples drawn"), locale.toString(figures.cellsDrawn)) +
        row(tr("Memory"), QString::fromStdString(memoryText(residentBytes()))) + QStringLiteral("</table>"));
    moveToCorner();
}

void DebugOverlay::moveToCorner() {
    adjustSize();
    const QRect room = parentWidget()->rect();
    move(room.right() - width() - Theme::kSpace3, room.bottom() - height() - Theme::kSpace3);
}

qint64 residentBytes() {
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    return file.readAll().split(' ').value(1).toLongLong() * sysconf(_SC_PAGESIZE);
}

}  // namespace ringside
