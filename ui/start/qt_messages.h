// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ringside {

// Installs a message handler that hides harmless messages of Qt about a missing desktop session or a platform without
// windows. Prints all other messages.
void dropHarmlessQtMessages();

}  // namespace ringside
