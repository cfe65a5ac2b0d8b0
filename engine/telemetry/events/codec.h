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

// One event as one line of JSON, newline included.
std::string encode(const Event& event);

// One line back into an event. A kind from a newer version is a problem the Decoder counts, its new keys are ignored;
// every count, rank and length is bounded.
Result<Event> decodeLine(std::string_view line);

// Bytes in any chunking to events. Never trusts a length: lines over kMaxLine are skipped and counted.
class Decoder {
  public:
    static constexpr std::size_t kMaxLine = 4U << 20;

    // Calls sink for each complete line that decodes.
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
