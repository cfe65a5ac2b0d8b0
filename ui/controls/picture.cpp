// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/picture.h"

#include <QHelpEvent>
#include <QToolTip>

#include "theme/theme.h"

namespace ringside {

Picture::Picture(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    connect(&theme, &Theme::changed, this, &Picture::restyle);
}

Picture::Tip Picture::tipAt(const QPoint&) const {
    return {};
}

bool Picture::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Tip tip = tipAt(help->pos());
    // Shows the tooltip of the whole widget, if there is one, because no part of the picture at this position has a
    // tooltip.
    if (tip.text.isEmpty() && !toolTip().isEmpty()) return QWidget::event(event);
    if (tip.text.isEmpty()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(help->globalPos(), tip.text, this, tip.part);
    }
    return true;
}

}  // namespace ringside
