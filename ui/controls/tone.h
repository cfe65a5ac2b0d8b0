// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace ringside {

// Sets the tone of a widget, from which the style sheet derives its colours: "good", "warning", "danger", or "" for
// normal colours.
void setTone(QWidget* widget, const char* tone);

}  // namespace ringside
