// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace ringside {

// Colours a widget as the style sheet's tone says: "good", "warning", "danger", or "" for none.
void setTone(QWidget* widget, const char* tone);

}  // namespace ringside
