// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/errors/result.h"
#include "base/text/line_splitter.h"
#include "telemetry/events/events.h"

namespace ringside {

// Returns an event as one line of JSON, with a newline at the end.
std::string encode(const Event& event);

// Decodes one line. Checks every count, rank and length against limits.h. Returns a problem if the line is invalid or
// its kind is unknown (written by a newer version). Ignores unknown keys.
Result<Event> decodeLine(std::string_view line);

// Decodes a stream of lines that arrives in chunks of any size. Skips and counts lines that are longer than kMaxLine or
// cannot be decoded.
class Decoder {
  public:
    static constexpr std::size_t kMaxLine = 4U << 20;

    // Appends bytes to the stream, and calls `sink` with the event of each complete line that can be decoded.
    void feed(std::string_view bytes, const std::function<void(Event&&)>& sink);

    std::int64_t badLines() const { return m_badLines; }
    const std::string& lastProblem() const { return m_lastProblem; }

  private:
    void decodeText(std::string_view line, const std::function<void(Event&&)>& sink);

    LineSplitter m_lines{kMaxLine};
    std::int64_t m_badLines = 0;
    std::string m_lastProblem;
};

}  // namespace ringside
