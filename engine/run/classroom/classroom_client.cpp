// SPDX-License-Identifier: Apache-2.0
#include "run/classroom/classroom_client.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "base/errors/exit_code.h"
#include "base/text/line_stream.h"
#include "launch/layout/launch_sources.h"
#include "run/prepare/guest_experiment.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kClientPollInterval{250};
constexpr seconds kSeatReportInterval{2};
constexpr seconds kConnectInterval{2};
constexpr seconds kFirstPatience{10};  // time in which the first connection must succeed
constexpr seconds kGiveUpAfter{600};   // time after the loss of the connection in which reconnecting must succeed
// Time without a line from the classroom's host after which the connection counts as lost. The host sends a line every
// 2 s.
constexpr seconds kSilence{20};
constexpr seconds kConnectPatience{8};
constexpr milliseconds kLeavePatience{3000};  // time in which this computer's rank must end after SIGTERM

}  // namespace

int ClassroomClient::run(int signalFd) {
    m_lostAt = Clock::now();
    while (!m_exitCode) {
        if (!m_guest && !connect()) break;
        if (wait(signalFd)) break;
        readClass();
        readRank();
        reportProgress();
    }
    stopRank();
    return m_exitCode.value_or(0);
}

// Ends the rank of this computer. At SIGTERM the rank reports to the host that it leaves the run. A rank that does not
// end within kLeavePatience is killed.
void ClassroomClient::stopRank() {
    if (!m_rank) return;
    m_rank->signal(SIGTERM);
    pollfd exit{m_rank->exitFd(), POLLIN, 0};
    ::poll(&exit, 1, static_cast<int>(kLeavePatience.count()));
    m_rank->signal(SIGKILL);
}

// Tries to connect, at most once per kConnectInterval. Returns false and sets the exit code if the classroom refuses
// this computer or if the time is over: kFirstPatience for the first connection, kGiveUpAfter after a lost connection.
bool ClassroomClient::connect() {
    const auto now = Clock::now();
    if (now < m_nextConnect) return true;
    m_nextConnect = now + kConnectInterval;
    Result<UniqueFd> socket =
        connectToClassroom(m_plan.code, m_plan.name, m_plan.program, hostKey(), now + kConnectPatience);
    if (socket) {
        m_guest = std::make_unique<ClassroomGuest>(std::move(socket).value(), m_plan.folder, m_plan.maxBytes,
                                                   [](const ClassroomOffer& offer) { return guestProblem(offer); });
        m_lastReceivedAt = Clock::now();
        report(GuestEvent::kJoined, m_everThere ? "reconnected to the classroom" : "joined as " + m_plan.name);
        m_everThere = true;
        return true;
    }
    const auto patience = m_everThere ? kGiveUpAfter : kFirstPatience;
    const bool refused = socket.problem().field == "the join code" || socket.problem().field == "this computer";
    if (!refused && now - m_lostAt < patience) return true;
    m_observer.showConnectFailure(socket.problem());
    end(static_cast<int>(refused || !m_everThere ? ExitCode::kBadConfiguration : ExitCode::kCommunicationFailed));
    return false;
}

// Waits for input for up to kClientPollInterval. Returns true if the user leaves the classroom: a signal, or the end
// of the input.
bool ClassroomClient::wait(int signalFd) {
    pollfd waiting[] = {{signalFd, POLLIN, 0},
                        {m_guest ? m_guest->fd() : -1, POLLIN, 0},
                        {m_rank ? m_rank->outputFd() : -1, POLLIN, 0},
                        {m_rank ? m_rank->exitFd() : -1, POLLIN, 0},
                        {m_plan.inputFd, POLLIN, 0}};
    if (::poll(waiting, std::size(waiting), static_cast<int>(kClientPollInterval.count())) <= 0) return false;
    char ignored = 0;
    // True if the program that started this process has ended.
    const bool isAlone = waiting[4].revents != 0 && ::read(m_plan.inputFd, &ignored, 1) <= 0;
    if (waiting[0].revents == 0 && !isAlone) return false;
    if (m_guest) m_guest->send({ClassroomLine::Kind::kLeave, {}});
    report(GuestEvent::kOver, "left the classroom", 0);
    end(static_cast<int>(ExitCode::kStopped));
    return true;
}

void ClassroomClient::readClass() {
    if (!m_guest) return;
    const bool open = m_guest->read();
    while (const auto line = m_guest->next()) {
        m_lastReceivedAt = Clock::now();
        handleLine(*line);
    }
    if (m_guest->problem()) {
        m_observer.showRefusal(*m_guest->problem());
        return end(static_cast<int>(ExitCode::kBadConfiguration));
    }
    if (const std::string come = m_guest->progress(); !come.empty()) {
        m_lastReceivedAt = Clock::now();
        report(GuestEvent::kData, come);
    }
    if (m_exitCode || (open && Clock::now() - m_lastReceivedAt < kSilence)) return;
    m_lostGuest = m_rank ? std::move(m_guest) : nullptr;
    m_guest.reset();
    m_lostAt = Clock::now();
    m_nextConnect = {};
    report(GuestEvent::kLost, "connection to the classroom lost; reconnecting");
}

void ClassroomClient::handleLine(const ClassroomLine& line) {
    if (line.kind == ClassroomLine::Kind::kStart) return launchRank(line.start);
    if (line.kind == ClassroomLine::Kind::kNews) return report(GuestEvent::kNews, line.text);
    if (line.kind != ClassroomLine::Kind::kOver) return;
    report(GuestEvent::kOver, line.text, line.number);
    end(line.number > 0 && line.number < 256 ? static_cast<int>(line.number) : 0);
}

void ClassroomClient::launchRank(const ClassroomStart& start) {
    if (m_rank) m_rank->signal(SIGKILL);  // kills the rank process of an earlier start
    m_rank.reset();
    m_lostGuest.reset();
    const std::filesystem::path& offer = m_guest->offerDirectory();
    if (offer.empty()) return;
    ChildOptions options;
    options.program = m_plan.worker;
    options.arguments = {
        (offer / "experiment.json").string(),
        "--rank",
        std::to_string(start.rank),
        "--world-size",
        std::to_string(start.worldSize),
        "--master",
        (m_plan.code.host.find(':') == std::string::npos ? m_plan.code.host : "[" + m_plan.code.host + "]") + ":" +
            std::to_string(start.port),
        "--wait",
        "60",
        "--name=" + m_plan.name};
    if (m_guest->resumes()) options.arguments.insert(options.arguments.end(), {"--resume", "checkpoint"});
    options.environment = {"RINGSIDE_TOKEN=" + tokenOfStart(m_plan.code.token, start),
                           std::string(kGuestVariable) + "=1"};
    m_rank = std::make_unique<ChildProcess>(options);
    m_lastLine.clear();
    report(GuestEvent::kRank, "rank " + std::to_string(start.rank) + " of " + std::to_string(start.worldSize),
           start.rank);
}

void ClassroomClient::readRank() {
    if (!m_rank) return;
    readAvailable(m_rank->outputFd(), m_output, [this](std::string_view line) {
        m_lastLine = line;
        m_observer.printRankLine(line);
    });
    if (m_rank->poll()) endRank();
}

void ClassroomClient::endRank() {
    const ChildEnd end = *m_rank->end();
    m_rank.reset();
    m_lostGuest.reset();
    const int code = end.shellCode();
    if (m_guest) m_guest->send({ClassroomLine::Kind::kEnded, code == 0 ? "" : m_lastLine, code});
    report(GuestEvent::kEnded,
           code == 0 ? "the rank of this computer has finished" : "the rank of this computer has ended: " + m_lastLine,
           code);
}

void ClassroomClient::reportProgress() {
    const auto now = Clock::now();
    if (!m_guest || now < m_reportAt) return;
    m_reportAt = now + kSeatReportInterval;
    m_guest->send({ClassroomLine::Kind::kHere, m_rank ? "training" : m_guest->progress()});
}

void ClassroomClient::report(GuestEvent event, const std::string& text, std::int64_t number) {
    if (std::pair(event, text) == m_lastMessage) return;
    m_lastMessage = {event, text};
    m_observer.report(event, text, number);
}

}  // namespace ringside
