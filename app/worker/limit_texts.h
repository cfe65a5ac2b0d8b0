// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

namespace ringside {

// Returns an error text for exhausted memory: the limit that was reached, of this process or of the machine, and the
// remedy.
std::string outOfMemoryText();

// Returns an error text for any other resource that the system has refused, such as a thread that cannot be started.
std::string systemErrorText(const std::system_error& error);

}  // namespace ringside
