// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "base/text/line_splitter.h"

namespace ringside {

// Reads the available data, up to 4 MiB, from a non-blocking descriptor and calls `line` for each line. Returns false
// at the end of the stream or on an error.
bool readAvailable(int fd, LineSplitter& lines, const std::function<void(std::string_view)>& line);

}  // namespace ringside
