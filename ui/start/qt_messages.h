// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ringside {

// Keeps what Qt says about a missing session or a window-less platform off the terminal: true, harmless, and nothing a
// user could act on. Everything else passes.
void dropHarmlessQtMessages();

}  // namespace ringside
