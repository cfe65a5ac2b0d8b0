// SPDX-License-Identifier: Apache-2.0
#include "live/classroom_view.h"

#include <unistd.h>

#include <cstdio>

#include "base/json/json_members.h"
#include "base/text/number_text.h"
#include "base/text/terminal_text.h"
#include "launch/classroom/qr_code.h"

namespace ringside {
namespace {

std::string lineOfJson(const Json& json) {
    return jsonText(json) + "\n";
}

std::string stateOf(const ClassroomMember& member, int offered, ClassroomHost::Clock::time_point now) {
    if (!member.isHere(now)) return "away";
    if (member.rank >= 0) return "rank";
    return member.ready == offered ? "ready" : "fetching";
}

Json membersOf(const ClassroomHost& host) {
    const auto now = ClassroomHost::Clock::now();
    Json members = Json::array();
    for (const auto& member : host.members())
        members.push_back({{"name", member->name()},
                           {"address", member->address()},
                           {"state", stateOf(*member, host.offered(), now)},
                           {"rank", member->rank},
                           {"doing", member->activity}});
    return members;
}

}  // namespace

void ClassroomView::begin(const ClassroomHost& host, const std::string& experiment, int wanted) {
    const std::string code = host.code().text();
    if (m_lines) {
        m_screen.out(lineOfJson({{"kind", "code"},
                                 {"code", code},
                                 {"address", host.code().host},
                                 {"ports", {host.code().port, host.runPort()}},
                                 {"experiment", experiment},
                                 {"wanted", wanted}}));
        return;
    }
    const bool isTerminal = ::isatty(STDOUT_FILENO) == 1;
    m_screen.out((isTerminal ? "\n" + makeQrCode(code).blocks() + "\n" : "") + "join code: " + code +
                 "\n\non the other computers:  ringsidectl join - --name NAME, then enter the code;\n" +
                 "or Run > Join in the window. Waiting for " + counted(wanted - 1, "more computer") +
                 " to join; press Enter to start with the computers that are ready.\n");
}

void ClassroomView::print(const std::string& sentence) {
    m_lines ? m_screen.out(lineOfJson({{"kind", "note"}, {"text", sentence}}))
            : m_screen.out(terminalText(sentence) + "\n");
}

void ClassroomView::runBegins(const std::string& directory) {
    m_lines ? m_screen.out(lineOfJson({{"kind", "run"}, {"directory", directory}}))
            : m_screen.out("run directory: " + directory + "\n");
}

void ClassroomView::show(const ClassroomHost& host, const ClassroomState& state) {
    if (!m_lines) return;
    const std::string line = lineOfJson({{"kind", "class"},
                                         {"phase", nameOf(state.phase)},
                                         {"wanted", state.wanted},
                                         {"least", state.least},
                                         {"news", state.news},
                                         {"refused_connections", host.refusedConnections()},
                                         {"members", membersOf(host)}});
    if (line == m_shown) return;
    m_shown = line;
    m_screen.out(line);
}

void ClassroomView::showEnd(const std::string& verdict, int exitCode) {
    if (m_lines) m_screen.out(lineOfJson({{"kind", "over"}, {"text", verdict}, {"code", exitCode}}));
}

void ClassroomView::showFailure(const std::string& verdict) {
    if (!m_lines) std::fprintf(stderr, "ringsidectl: %s\n", terminalText(verdict).c_str());
}

void ClassroomView::beginTraining() {
    m_progress.emplace(m_screen, false, m_lines);
}

void ClassroomView::showProgress(const RunData& run, unsigned changes) {
    if (!m_lines) run.ended() ? m_progress->finish(run, m_runDirectory) : m_progress->update(run, changes);
}

}  // namespace ringside
