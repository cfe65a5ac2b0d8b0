// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ringside {

// True if a window can be shown: with an X display that responds, with Wayland, or with the platform in
// QT_QPA_PLATFORM. Screenshots need no display.
bool hasDisplay();

}  // namespace ringside
