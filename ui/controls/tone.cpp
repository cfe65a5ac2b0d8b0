// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/tone.h"

#include <QStyle>
#include <QVariant>

namespace ringside {

void setTone(QWidget* widget, const char* tone) {
    if (widget->property("tone").toString() == QLatin1String(tone)) return;
    widget->setProperty("tone", QLatin1String(tone));
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

}  // namespace ringside
