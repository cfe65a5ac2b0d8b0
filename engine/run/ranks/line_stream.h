// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "base/text/line_splitter.h"

namespace ringside {

// Feeds what can be read now from a descriptor that does not block; false at the end of the stream.
bool readAvailable(int fd, LineSplitter& lines, const std::function<void(std::string_view)>& line);

}  // namespace ringside
