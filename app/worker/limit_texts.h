// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

namespace ringside {

// Why there is no more memory, and the way out: a limit of this process, or the machine.
std::string outOfMemoryText();

// The same of what the system refuses otherwise, such as another thread.
std::string systemErrorText(const std::system_error& error);

}  // namespace ringside
