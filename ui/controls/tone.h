// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace ringside {

// Sets the tone of a widget for the style sheet: "good", "warning", "danger", or "" for none.
void setTone(QWidget* widget, const char* tone);

}  // namespace ringside
