// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ringside {

// True if a window can be shown: on an X display that responds, with Wayland, or with the platform that the variable
// QT_QPA_PLATFORM selects. The option --screenshot works without a display.
bool hasDisplay();

}  // namespace ringside
