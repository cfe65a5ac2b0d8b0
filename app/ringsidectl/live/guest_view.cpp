// SPDX-License-Identifier: Apache-2.0
#include "live/guest_view.h"

#include <cstdio>

#include "base/errors/exit_code.h"
#include "base/json/json_members.h"
#include "base/text/terminal_text.h"

namespace ringside {
namespace {

void printError(const Problem& problem) {
    std::fprintf(stderr, "ringsidectl: %s\n", terminalText(problem.text()).c_str());
}

}  // namespace

void GuestView::report(GuestEvent event, const std::string& text, std::int64_t number) {
    if (m_lines) {
        const Json json = {{"kind", nameOf(event)}, {"text", text}, {"number", number}};
        std::printf("%s\n", jsonText(json).c_str());
    } else {
        std::printf("%s\n", terminalText(text).c_str());
    }
    std::fflush(stdout);
}

void GuestView::printRankLine(std::string_view line) {
    if (!m_lines) std::fprintf(stderr, "%s\n", terminalText(line).c_str());
}

void GuestView::showConnectFailure(const Problem& problem) {
    if (!m_lines) return printError(problem);
    report(GuestEvent::kOver, problem.text(), static_cast<int>(ExitCode::kBadConfiguration));
}

void GuestView::showRefusal(const Problem& problem) {
    printError(problem);
    if (m_lines) report(GuestEvent::kOver, problem.text(), static_cast<int>(ExitCode::kBadConfiguration));
}

}  // namespace ringside
