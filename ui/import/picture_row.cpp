// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/picture_row.h"

#include <QPainter>
#include <algorithm>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kSide = 64;
constexpr int kCaption = 16;
constexpr int kAcross = kSide + 16;
constexpr int kDown = kSide + kCaption + 12;

}  // namespace

PictureRow::PictureRow(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme) {
    setObjectName(QStringLiteral("importPictures"));
    setAccessibleName(tr("Example samples"));
    setProperty("role", "panel");
    setMinimumHeight(kDown + 2 * Theme::kSpace3);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PictureRow::setPictures(std::vector<SamplePicture> pictures) {
    m_pictures = std::move(pictures);
    update();
}

void PictureRow::paintEvent(QPaintEvent* event) {
    QFrame::paintEvent(event);
    QPainter painter(this);
    painter.setFont(m_theme.smallFont());
    painter.setPen(m_theme.colors().muted);
    const QRect area = rect().adjusted(Theme::kSpace4, Theme::kSpace3, -Theme::kSpace1, -Theme::kSpace2);
    const int columns = std::max(1, area.width() / kAcross);
    for (int at = 0; at < static_cast<int>(m_pictures.size()); ++at) {
        const SamplePicture& picture = m_pictures[static_cast<std::size_t>(at)];
        const QRect place(area.left() + at % columns * kAcross, area.top() + at / columns * kDown, kSide, kSide);
        if (place.bottom() + kCaption > area.bottom()) return;
        QRect shown(QPoint(), picture.image.size().scaled(place.size(), Qt::KeepAspectRatio));
        shown.moveCenter(place.center());
        painter.drawImage(shown, picture.image);
        const QRect line(place.left() - 6, place.bottom() + 3, kSide + 12, kCaption);
        painter.drawText(line, Qt::AlignCenter,
                         painter.fontMetrics().elidedText(picture.caption, Qt::ElideRight, line.width()));
    }
}

}  // namespace ringside
