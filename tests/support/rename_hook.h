// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace ringside {

// Called with the new name of a file before renameat(2) gives it that name, in any thread: the moment in which an
// AtomicFile is written and not yet in its place. Empty: nothing is called.
void setRenameHook(std::function<void(const std::string& newName)> hook);

}  // namespace ringside
