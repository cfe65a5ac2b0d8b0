// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "run/read/run_directory.h"
#include "run/record/append_file.h"

namespace ringside {

// Writer of the latest traced steps of all ranks to two files. When trace.jsonl is full, it is renamed to
// trace.1.jsonl, replacing an older file, and a new trace.jsonl begins. The two files together contain at least the
// last kSteps steps of each rank, or fewer if their size limit is reached.
class TraceRecord {
  public:
    static constexpr std::int64_t kSteps = 2000;

    // maxBytes: maximum size of each file, in bytes.
    TraceRecord(const RunPaths& paths, int worldSize, std::int64_t maxBytes);
    // Returns the maximum size of each trace file in bytes: 1/20 of the size limit of the run directory, at least
    // 100,000 bytes and at most 32 MiB.
    static std::int64_t maxBytesWithin(std::int64_t mebibytesTotal);

    // Adds a line without its newline. Throws IoError if the disk refuses the write.
    void add(std::string_view line);
    void flush();

  private:
    void rotate();

    RunPaths m_paths;
    const std::int64_t m_maxLines;
    const std::int64_t m_maxBytes;
    std::optional<AppendFile> m_file;  // file of the traces; empty before the first trace
    std::int64_t m_lines = 0;
    std::int64_t m_bytes = 0;
};

}  // namespace ringside
