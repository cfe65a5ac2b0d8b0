// SPDX-License-Identifier: Apache-2.0
#include "base/text/line_splitter.h"

#include <utility>

namespace ringside {

void LineSplitter::feed(std::string_view bytes, const std::function<void(std::string_view)>& sink) {
    while (!bytes.empty()) {
        const std::size_t newline = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, newline);
        const bool complete = newline != std::string_view::npos;
        bytes.remove_prefix(complete ? newline + 1 : bytes.size());

        if (!m_skipping && m_partial.size() + piece.size() > m_maxLine) {
            m_skipping = true;
            std::string().swap(m_partial);
            ++m_skippedLines;
        }
        if (!complete) {
            if (!m_skipping) m_partial += piece;
            return;
        }
        const bool skipped = std::exchange(m_skipping, false);
        if (skipped) continue;
        if (m_partial.empty()) {
            sink(piece);
        } else {
            const std::string whole = std::exchange(m_partial, {}).append(piece);
            sink(whole);
        }
    }
}

}  // namespace ringside
