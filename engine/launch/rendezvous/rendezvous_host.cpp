// SPDX-License-Identifier: Apache-2.0
#include "launch/rendezvous/rendezvous_host.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/crypto/secret.h"
#include "base/system/files.h"
#include "base/time/monotonic.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr milliseconds kSendPatience{1000};
constexpr milliseconds kLatecomers{5000};
constexpr int kFirstPort = 20000;  // lowest port to listen on; below the kernel's range of ephemeral ports
constexpr int kPortSpan = 12000;
constexpr int kPortChoices = 8;
constexpr std::size_t kMaxNamed = 8;  // maximum number of missing ranks that a message lists

int portFrom(const std::string& job) {
    return kFirstPort + static_cast<int>(std::stoul(sha256Text("port " + job).substr(0, 7), nullptr, 16) %
                                         static_cast<unsigned long>(kPortSpan - kPortChoices));
}

}  // namespace

RendezvousTerms termsOf(const LaunchLayout& layout, const std::string& token, const std::string& program,
                        const std::string& experiment) {
    RendezvousTerms terms;
    terms.token = token.empty() ? sha256Text("ringside job " + layout.job) : token;
    terms.program = program;
    terms.experiment = experiment;
    terms.hosts = layout.masterHosts;
    if (layout.masterPort != 0) {
        terms.ports = {layout.masterPort};
    } else {
        for (int i = 0; i < kPortChoices; ++i) terms.ports.push_back(portFrom(layout.job) + i);
    }
    return terms;
}

RendezvousHost::RendezvousHost(RendezvousTerms terms, const LaunchLayout& layout, std::string ownHostKey)
    : m_terms(std::move(terms)), m_layout(layout), m_hostKey(std::move(ownHostKey)) {}

Problems RendezvousHost::listen() {
    for (const int port : m_terms.ports) {
        for (const std::string& host : m_terms.hosts) {
            if (m_listener.listen(host, port, !m_layout.isOneHost())) return {};
        }
    }
    std::string hosts;
    for (const std::string& host : m_terms.hosts) hosts += (hosts.empty() ? "" : ", ") + host;
    return {{"rank 0",
             "cannot listen on port " + std::to_string(m_terms.ports.front()) + " of " +
                 (hosts.empty() ? "any host" : hosts) + " (" + errnoText(errno) + ")",
             "use --master HOST:PORT, the same on all ranks, to set the address of rank 0"}};
}

std::string RendezvousHost::address() const {
    return m_listener.address();
}

Result<Gathering> RendezvousHost::gather(int stopFd, const std::function<void(const std::string&)>& log) {
    m_startedAt = steady_clock::now();
    m_nextLog = m_startedAt + seconds(2);
    while (!allConnected()) {
        if (steady_clock::now() - m_startedAt > m_terms.deadline) {
            for (const int rank : missingRanks()) m_culprits.push_back({rank, {}, false});
            return dismiss({"the start",
                            "failed: " + missingText() + " did not connect within " +
                                std::to_string(m_terms.deadline.count() / 1000) + " s",
                            "see the output of the missing ranks; they must be able to connect to " + address() +
                                "; --wait SECONDS waits longer"});
        }
        if (waitForInput(stopFd)) {
            Gathering stopped = close();
            stopped.stopped = true;
            return stopped;
        }
        m_listener.poll([this](UniqueFd& socket, const std::string& nonce, const std::string& line) {
            return handleGreeting(socket, nonce, line);
        });
        readControls();
        if (m_problem) return m_refusedRanks.empty() ? dismiss(*m_problem) : dismissWithLatecomers(*m_problem);
        logMissingRanks(log);
    }
    return close();
}

void RendezvousHost::refuseRanks(const std::string& why, milliseconds patience) {
    m_refusal = "cannot start, because rank 0 cannot start: " + why;
    const auto until = steady_clock::now() + patience;
    while (static_cast<int>(m_refusedRanks.size()) < m_layout.worldSize - 1 && steady_clock::now() < until) {
        waitForInput(-1);
        m_listener.poll([this](UniqueFd& socket, const std::string& nonce, const std::string& line) {
            return handleGreeting(socket, nonce, line);
        });
    }
    close();
}

// Waits up to 50 ms until any connection has input. Returns true if stopFd is readable. Does not return which
// connection has input: the caller tries to read from each connection, which costs little, because there are few.
bool RendezvousHost::waitForInput(int stopFd) const {
    std::vector<pollfd> waiting{{stopFd, POLLIN, 0}};
    m_listener.addInterests(waiting);
    for (const auto& [rank, guest] : m_guests) {
        if (guest.control) waiting.push_back({guest.control.get(), POLLIN, 0});
    }
    ::poll(waiting.data(), waiting.size(), 50);
    return stopFd >= 0 && (waiting.front().revents & POLLIN) != 0;
}

// Checks a greeting, answers it and assigns the socket to its rank. Returns false if the greeting does not prove that
// the peer knows the token (secret).
bool RendezvousHost::handleGreeting(UniqueFd& socket, const std::string& nonce, const std::string& line) {
    const std::optional<Greeting> greeting = decodeGreeting(line);
    if (!greeting || !isSameSecret(greeting->proof, hmacSha256(m_terms.token, greeting->provenText(nonce)))) {
        sendLine(socket.get(), encodeAnswer({"", "the token belongs to another run", ""}), steady_clock::now());
        return false;
    }
    const std::string refused = findReasonToRefuse(*greeting);
    answerGreeting(socket.get(), *greeting, refused);
    if (greeting->role == ConnectionRole::kDeclines && refused.empty()) {
        m_problem = Problem{"rank " + std::to_string(greeting->rank) + " on " + greeting->host,
                            "cannot start: " + greeting->reason, "start all ranks again"};
        m_culprits = {{greeting->rank, peerAddress(socket.get(), false), false}};
        m_refusedRanks.insert(greeting->rank);
        return true;
    }
    if (!refused.empty() && !m_refusal.empty()) return true;  // the reason why the start fails is known already
    if (!refused.empty()) {
        m_problem = Problem{"rank " + std::to_string(greeting->rank) + " on " + greeting->host, refused,
                            "start all ranks with the same program, experiment and number of ranks"};
        m_culprits = {{greeting->rank, peerAddress(socket.get(), false), true}};
    } else {
        addConnection(socket, *greeting);
    }
    return true;
}

void RendezvousHost::answerGreeting(int socket, const Greeting& greeting, const std::string& refused) const {
    sendLine(socket,
             encodeAnswer({hmacSha256(m_terms.token, answeredText(greeting.nonce, refused)), refused, m_hostKey}),
             steady_clock::now() + kSendPatience);
}

// Returns the reason why a greeting with a valid token is refused; empty if the rank is accepted.
std::string RendezvousHost::findReasonToRefuse(const Greeting& greeting) {
    if (greeting.program != m_terms.program)
        return "runs ringside " + greeting.program + ", but rank 0 runs " + m_terms.program;
    if (greeting.rank < 1 || greeting.rank >= m_layout.worldSize)
        return "is not one of the ranks 1 to " + std::to_string(m_layout.worldSize - 1) + " that are expected";
    if (!m_refusal.empty()) {
        m_refusedRanks.insert(greeting.rank);
        return m_refusal;
    }
    if (greeting.role == ConnectionRole::kDeclines) return "";
    if (greeting.experiment != m_terms.experiment)
        return "has another experiment than rank 0 (hash " + greeting.experiment.substr(0, 12) + " instead of " +
               m_terms.experiment.substr(0, 12) + ")";
    const auto guest = m_guests.find(greeting.rank);
    if (guest == m_guests.end())
        return greeting.role == ConnectionRole::kControl ? ""
                                                         : "opened another connection before its control connection";
    const bool same = guest->second.host == greeting.host && guest->second.hostKey == greeting.hostKey &&
                      guest->second.pid == static_cast<pid_t>(greeting.pid);
    if (!same)
        return "connected twice: also from " + guest->second.host + ", process " + std::to_string(guest->second.pid);
    return greeting.role == ConnectionRole::kTelemetry || greeting.role == ConnectionRole::kStore
               ? ""
               : "connected twice from the same process";
}

void RendezvousHost::addConnection(UniqueFd& socket, const Greeting& greeting) {
    Guest& guest = m_guests[greeting.rank];
    if (greeting.role == ConnectionRole::kTelemetry) guest.telemetry = std::move(socket);
    if (greeting.role == ConnectionRole::kStore) guest.store = std::move(socket);
    if (greeting.role != ConnectionRole::kControl) return;
    guest.rank = greeting.rank;
    guest.host = greeting.host;
    guest.hostKey = greeting.hostKey;
    guest.pid = static_cast<pid_t>(greeting.pid);
    guest.address = peerAddress(socket.get(), false);
    guest.control = std::move(socket);
}

// Answers clock queries on the control connections. Sets m_problem if a rank has left or sent any other line.
void RendezvousHost::readControls() {
    for (auto& [rank, guest] : m_guests) {
        const LineResult taken = guest.controlLines.read(guest.control.get());
        if (taken.state == LineResult::State::kNotYet) continue;
        if (taken.state == LineResult::State::kLine && taken.text == kClockQuery) {
            sendLine(guest.control.get(), encodeClock(monotonicUs()), steady_clock::now() + kSendPatience);
            continue;
        }
        const bool hasLeft = taken.state == LineResult::State::kEnded;
        m_problem = Problem{"rank " + std::to_string(rank) + " on " + guest.host,
                            hasLeft ? "left before all ranks had connected" : "sent a line that a rank never sends",
                            "see the output of that rank"};
        m_culprits = {{rank, guest.address, !hasLeft}};
    }
}

bool RendezvousHost::allConnected() const {
    return static_cast<int>(m_guests.size()) == m_layout.worldSize - 1 &&
           std::all_of(m_guests.begin(), m_guests.end(), [](const auto& one) { return one.second.complete(); });
}

std::vector<int> RendezvousHost::missingRanks() const {
    std::vector<int> missing;
    for (int rank = 1; rank < m_layout.worldSize; ++rank) {
        const auto guest = m_guests.find(rank);
        if (guest == m_guests.end() || !guest->second.complete()) missing.push_back(rank);
    }
    return missing;
}

std::string RendezvousHost::missingText() const {
    std::string text;
    std::size_t count = 0;
    for (const int rank : missingRanks()) {
        if (++count > kMaxNamed) continue;
        const std::string host = m_layout.hostOf(rank);
        text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank);
        if (!host.empty()) text += " (on " + host + ")";
    }
    return count > kMaxNamed ? text + " and " + std::to_string(count - kMaxNamed) + " more" : text;
}

// Logs the missing ranks 2 s, 6 s, 18 s, ... after the start: each of these times is three times the time before it.
void RendezvousHost::logMissingRanks(const std::function<void(const std::string&)>& log) {
    const auto now = steady_clock::now();
    if (now < m_nextLog || allConnected()) return;
    const auto waited = std::chrono::duration_cast<seconds>(now - m_startedAt);
    log("waiting " + std::to_string(waited.count()) + " s for " + missingText() +
        "; missing ranks must be able to connect to " + address());
    m_nextLog = now + 2 * std::max(waited, seconds(2));
}

// Sends the problem to all connected ranks, so that they stop waiting, and closes every connection.
Problem RendezvousHost::dismiss(Problem problem) {
    for (const auto& [rank, guest] : m_guests)
        sendLine(guest.control.get(), encodeVerdict(problem.text()), steady_clock::now());
    close();
    return problem;
}

// Sends the problem like dismiss(), and also refuses the ranks that connect within the time kLatecomers, because all
// ranks of a launcher start at about the same time.
Problem RendezvousHost::dismissWithLatecomers(Problem problem) {
    for (const auto& [rank, guest] : m_guests) {
        sendLine(guest.control.get(), encodeVerdict(problem.text()), steady_clock::now());
        m_refusedRanks.insert(rank);
    }
    refuseRanks(problem.text(), kLatecomers);
    return problem;
}

Gathering RendezvousHost::close() {
    m_listener.close();
    Gathering gathering;
    for (auto& [rank, guest] : m_guests) gathering.guests.push_back(std::move(guest));
    m_guests.clear();
    return gathering;
}

}  // namespace ringside
