// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/system/unique_fd.h"
#include "run/read/run_directory.h"

namespace ringside {

// Reader of the traces that TraceRecord writes, from the oldest lines and while the files grow, in another process than
// the writer. One thread.
class TraceFollower {
  public:
    explicit TraceFollower(RunPaths paths) : m_paths(std::move(paths)) {}

    // Passes new data to the function `lines`, in pieces of whole lines. Returns after about 1 MiB; does not block.
    // Returns true if there may be more data.
    bool advance(const std::function<void(std::string_view)>& lines);

  private:
    bool readNext(const std::function<void(std::string_view)>& lines);
    bool openNext();

    const RunPaths m_paths;
    UniqueFd m_file;
    bool m_started = false;
    std::string m_pending;
};

}  // namespace ringside
