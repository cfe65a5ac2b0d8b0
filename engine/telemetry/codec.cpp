// SPDX-License-Identifier: Apache-2.0
#include "telemetry/codec.h"

namespace ringside {

void Decoder::feed(std::string_view bytes, const std::function<void(Event&&)>& sink) {
    while (!bytes.empty()) {
        const std::size_t newline = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, newline);
        const bool complete = newline != std::string_view::npos;
        bytes.remove_prefix(complete ? newline + 1 : bytes.size());

        if (!m_skipping && m_partial.size() + piece.size() > kMaxLine) {
            m_skipping = true;
            m_partial.clear();
            m_partial.shrink_to_fit();
            ++m_badLines;
            m_lastProblem = "a telemetry line is longer than " + std::to_string(kMaxLine) + " bytes: skipped";
        }
        if (!complete) {
            if (!m_skipping) m_partial += piece;
            return;
        }
        if (!m_skipping && m_partial.empty()) {
            takeLine(piece, sink);
        } else if (!m_skipping) {
            const std::string whole = std::move(m_partial) + std::string(piece);
            takeLine(whole, sink);
        }
        m_partial.clear();
        m_skipping = false;
    }
}

void Decoder::takeLine(std::string_view line, const std::function<void(Event&&)>& sink) {
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
