// SPDX-License-Identifier: GPL-3.0-or-later
#include "devices/device_card.h"

#include <QPainter>
#include <QPainterPath>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kLine{20};
constexpr int kBarHeight = 5;
constexpr int kBarGap = Theme::kSpace2;
constexpr QMargins kMargins{Theme::kSpace3, Theme::kSpace2 + 2, Theme::kSpace3, Theme::kSpace2 + 2};

}  // namespace

DeviceCard::DeviceCard(const DeviceDescription& device, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_device(device), m_theme(theme) {
    setAccessibleName(device.title.simplified() + QStringLiteral(": ") + device.state);
    setAccessibleDescription(device.details.join(QStringLiteral(", ")) + QLatin1Char(' ') + device.whyNot);
    setToolTip(device.details.join(QLatin1Char('\n')));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QString DeviceCard::copyText() const {
    return accessibleName() + QLatin1Char('\t') + accessibleDescription().trimmed() + QLatin1Char('\n');
}

QSize DeviceCard::sizeHint() const {
    constexpr int kWidth = 480;
    return {kWidth, heightForWidth(kWidth)};
}

int DeviceCard::heightForWidth(int width) const {
    const int bar = m_device.memoryUsed >= 0 ? kBarGap + kBarHeight : 0;
    return kMargins.top() + kMargins.bottom() + 2 * kLine + bar +
           whyNotHeight(width - kMargins.left() - kMargins.right());
}

QRect DeviceCard::inner() const {
    return rect().marginsRemoved(kMargins);
}

int DeviceCard::whyNotHeight(int width) const {
    if (m_device.whyNot.isEmpty()) return 0;
    const QFontMetrics metrics(m_theme.smallFont());
    return Theme::kSpace1 + metrics.boundingRect(0, 0, width, 1000, Qt::TextWordWrap, m_device.whyNot).height();
}

void DeviceCard::paintEvent(QPaintEvent*) {
    const ThemeColors& c = m_theme.colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath frame;
    frame.addRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), Theme::kCorner, Theme::kCorner);
    painter.fillPath(frame, c.panel);
    painter.setPen(c.border);
    painter.drawPath(frame);

    QRect line(inner().left(), inner().top(), inner().width(), kLine);
    painter.setFont(m_theme.smallFont());
    painter.setPen(m_device.usable ? c.goodText : c.warningText);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, m_device.state);
    const int stateWidth = painter.fontMetrics().horizontalAdvance(m_device.state) + Theme::kSpace2;
    painter.setFont(m_theme.numberFont());
    painter.setPen(c.text);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_device.title, Qt::ElideRight, line.width() - stateWidth));
    line.translate(0, kLine);
    painter.setFont(m_theme.smallFont());
    painter.setPen(c.muted);
    const QString details = m_device.details.join(QStringLiteral("   "));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(details, Qt::ElideRight, line.width()));
    int bottom = line.bottom() + 1;
    if (m_device.memoryUsed >= 0) {
        const QRectF bar(inner().left(), bottom + kBarGap, inner().width(), kBarHeight);
        const double radius = kBarHeight / 2.0;
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.grid);
        painter.drawRoundedRect(bar, radius, radius);
        painter.setBrush(c.accent);
        if (m_device.memoryUsed > 0)
            painter.drawRoundedRect(
                QRectF(bar.topLeft(), QSizeF(std::max(bar.width() * m_device.memoryUsed, bar.height()), bar.height())),
                radius, radius);
        bottom += kBarGap + kBarHeight;
    }
    if (m_device.whyNot.isEmpty()) return;
    painter.setPen(c.warningText);
    painter.drawText(QRect(inner().left(), bottom + Theme::kSpace1, inner().width(), whyNotHeight(inner().width())),
                     Qt::TextWordWrap, m_device.whyNot);
}

}  // namespace ringside
