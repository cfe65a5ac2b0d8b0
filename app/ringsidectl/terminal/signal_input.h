// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "base/system/unique_fd.h"

namespace ringside {

// A descriptor that is readable when one of the signals has come; they do nothing else from now on. Signals that our
// parent ignores stay ignored: that is how nohup and a shell's `&` protect what they start. Before any thread is made.
UniqueFd signalInput(std::initializer_list<int> numbers);

}  // namespace ringside
