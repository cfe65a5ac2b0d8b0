// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ringside {

// Hides harmless messages of Qt about a missing session or a platform without windows. All other messages are printed.
void dropHarmlessQtMessages();

}  // namespace ringside
