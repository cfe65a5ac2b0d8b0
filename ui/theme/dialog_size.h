// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QWidget>

namespace ringside {

// Returns the size of a dialog at the present type size. normal: size at the normal type size. The result grows with
// the type size, but not beyond the size of `window` unless `normal` is larger, and never beyond the size of `screen`
// minus the frame of a dialog. An empty `window` or `screen` is no limit.
QSize fittingSize(QSize normal, QSize window, QSize screen);

// Resizes `dialog` to fittingSize() for the window of its parent and the screen of this window; if the dialog has no
// parent, for its own screen. Call before the dialog is shown. normal: size of the dialog at the normal type size.
void resizeDialog(QWidget& dialog, QSize normal);

}  // namespace ringside
