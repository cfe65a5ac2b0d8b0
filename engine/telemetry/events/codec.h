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

// Decodes one line. Every count, rank and length is checked against limits.h. For an event kind of a newer version, a
// problem is returned; unknown keys are ignored.
Result<Event> decodeLine(std::string_view line);

// Decodes a stream of bytes in chunks of any size. Lines longer than kMaxLine and lines that cannot be decoded are
// skipped and counted.
class Decoder {
  public:
    static constexpr std::size_t kMaxLine = 4U << 20;

    // Appends bytes and calls sink for each complete line that can be decoded.
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
