// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ringside {

// Installs a message handler for Qt's messages. It hides harmless messages about a missing desktop session or a
// platform without windows, and prints all other messages.
void dropHarmlessQtMessages();

}  // namespace ringside
