// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QWidget>

namespace ringside {

// Returns the size of a dialog with the size `normal` at the normal type size: grows with the type within `window`, and
// is never larger than `screen`. An empty `window` or `screen` is no limit.
QSize fittingSize(QSize normal, QSize window, QSize screen);

// Resizes a dialog that is not shown yet to the fitting size on its screen, beside the window that it belongs to.
void resizeDialog(QWidget& dialog, QSize normal);

}  // namespace ringside
