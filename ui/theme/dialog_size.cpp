// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/dialog_size.h"

#include <QScreen>

#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr QSize kFrame{8,
                       40};  // assumed size of the borders and the title bar that a desktop adds to a dialog, in pixels

}  // namespace

QSize fittingSize(QSize normal, QSize window, QSize screen) {
    QSize size(typeScaled(normal.width()), typeScaled(normal.height()));
    if (!window.isEmpty()) size = size.boundedTo(window).expandedTo(normal);
    return screen.isEmpty() ? size : size.boundedTo(screen - kFrame);
}

void resizeDialog(QWidget& dialog, QSize normal) {
    const QWidget* parent = dialog.parentWidget();
    const QScreen* screen = parent ? parent->window()->screen() : dialog.screen();
    dialog.resize(
        fittingSize(normal, parent ? parent->window()->size() : QSize(), screen ? screen->availableSize() : QSize()));
}

}  // namespace ringside
