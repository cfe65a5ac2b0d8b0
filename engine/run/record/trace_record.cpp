// SPDX-License-Identifier: Apache-2.0
#include "run/record/trace_record.h"

#include <algorithm>
#include <filesystem>
#include <string>

namespace ringside {

TraceRecord::TraceRecord(const RunPaths& paths, int worldSize, std::int64_t maxBytes)
    : m_paths(paths), m_maxLines(kSteps * std::max(worldSize, 1)), m_maxBytes(maxBytes) {}

std::int64_t TraceRecord::maxBytesWithin(std::int64_t mebibytesTotal) {
    constexpr std::int64_t kMin = 100'000;
    constexpr std::int64_t kMax = 32 << 20;
    constexpr std::int64_t kPart = 20;  // the size limit of the run directory is divided by this number for each of the
                                        // two trace files
    return std::clamp((mebibytesTotal << 20) / kPart, kMin, kMax);
}

void TraceRecord::add(std::string_view line) {
    const auto bytes = static_cast<std::int64_t>(line.size() + 1);
    if (m_lines >= m_maxLines || (m_lines > 0 && m_bytes + bytes > m_maxBytes)) rotate();
    if (!m_file) m_file.emplace(m_paths.trace());
    m_file->add(std::string(line).append("\n"));
    ++m_lines;
    m_bytes += bytes;
}

void TraceRecord::rotate() {
    flush();
    m_file.reset();
    std::error_code ignored;  // if renaming fails, the lines are appended to trace.jsonl, which then exceeds its limit
    std::filesystem::rename(m_paths.trace(), m_paths.olderTrace(), ignored);
    m_lines = m_bytes = 0;
}

void TraceRecord::flush() {
    if (m_file) m_file->flush();
}

}  // namespace ringside
