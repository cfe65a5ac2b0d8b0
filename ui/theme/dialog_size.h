// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QWidget>

namespace ringside {

// Returns the size of a dialog at the present type size; normal: its size at the normal type size. The result grows
// with the type size up to the size of `window`, or to `normal` if this is larger. It is never larger than `screen`
// minus the frame of a dialog. An empty `window` or `screen` sets no limit.
QSize fittingSize(QSize normal, QSize window, QSize screen);

// Resizes `dialog` to fittingSize(), with the window of its parent and the screen of this window as limits. For a
// dialog without a parent, the limit is the screen of the dialog. Call before the dialog is shown. normal: size of the
// dialog at the normal type size.
void resizeDialog(QWidget& dialog, QSize normal);

}  // namespace ringside
