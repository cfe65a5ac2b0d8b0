// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/system/unique_fd.h"
#include "run/read/run_directory.h"

namespace ringside {

// Reads the traces that TraceRecord writes, from another process, from the oldest there are and on as they grow.
class TraceFollower {
  public:
    explicit TraceFollower(RunPaths paths) : m_paths(std::move(paths)) {}

    // Hands over what has come, in pieces of whole lines and about a megabyte at most; true where there is more. Never
    // waits.
    bool advance(const std::function<void(std::string_view)>& lines);

  private:
    bool readOn(const std::function<void(std::string_view)>& lines);
    bool openNext();

    const RunPaths m_paths;
    UniqueFd m_file;
    bool m_started = false;
    std::string m_pending;
};

}  // namespace ringside
