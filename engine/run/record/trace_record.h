// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "run/read/run_directory.h"
#include "run/record/append_file.h"

namespace ringside {

// The latest traced steps of all ranks, in two files: trace.jsonl grows until it holds its part, then becomes
// trace.1.jsonl, whose lines are forgotten. So at least the last kSteps of each rank are there, or as many as the bytes
// allow.
class TraceRecord {
  public:
    static constexpr std::int64_t kSteps = 2000;

    // mostBytes: of each of the files.
    TraceRecord(const RunPaths& paths, int worldSize, std::int64_t mostBytes);
    static std::int64_t mostBytesWithin(std::int64_t megabytesTotal);

    void add(std::string_view line);  // without its newline; throws IoError when the disk refuses
    void flush();

  private:
    void rotate();

    RunPaths m_paths;
    const std::int64_t m_mostLines;
    const std::int64_t m_mostBytes;
    std::optional<AppendFile> m_file;  // none before the first trace
    std::int64_t m_lines = 0;
    std::int64_t m_bytes = 0;
};

}  // namespace ringside
