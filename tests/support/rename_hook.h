// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace ringside {

// Sets a function that is called, in any thread, with the new name of a file before renameat(2) renames the file: at
// this moment, an AtomicFile is written but does not have its final name. Empty: no function is called.
void setRenameHook(std::function<void(const std::string& newName)> hook);

}  // namespace ringside
