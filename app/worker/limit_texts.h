// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

namespace ringside {

// Returns an error text for exhausted memory: the limit that was reached, of this process or of the machine, and the
// remedy.
std::string outOfMemoryText();

// Returns an error text for a system call that failed for another reason than exhausted memory. For EAGAIN the text
// reports that no thread could be started, and names the limit to raise.
std::string systemErrorText(const std::system_error& error);

}  // namespace ringside
