// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

namespace ringside {

// Returns an error text for exhausted memory, with the limit that caused it (of this process or of the machine) and the
// remedy.
std::string outOfMemoryText();

// Returns an error text for any other refusal by the system, such as a thread that cannot be started.
std::string systemErrorText(const std::system_error& error);

}  // namespace ringside
