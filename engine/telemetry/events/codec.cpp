// SPDX-License-Identifier: Apache-2.0
#include "telemetry/events/codec.h"

namespace ringside {

void Decoder::feed(std::string_view bytes, const std::function<void(Event&&)>& sink) {
    const std::int64_t tooLong = m_lines.skippedLines();
    m_lines.feed(bytes, [&](std::string_view line) { decodeText(line, sink); });
    if (m_lines.skippedLines() == tooLong) return;
    m_badLines += m_lines.skippedLines() - tooLong;
    m_lastProblem = "a telemetry line is longer than " + std::to_string(kMaxLine) + " bytes: skipped";
}

void Decoder::decodeText(std::string_view line, const std::function<void(Event&&)>& sink) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) return;
    Result<Event> event = decodeLine(line);
    if (event) {
        sink(std::move(event).value());
        return;
    }
    ++m_badLines;
    m_lastProblem = event.problem().text();
}

}  // namespace ringside
