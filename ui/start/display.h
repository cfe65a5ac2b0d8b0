// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ringside {

// Whether a window can be shown: an X display that answers, Wayland, or whatever QT_QPA_PLATFORM names. A picture needs
// none.
bool hasDisplay();

}  // namespace ringside
