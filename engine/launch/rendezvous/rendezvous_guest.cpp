// SPDX-License-Identifier: Apache-2.0
#include "launch/rendezvous/rendezvous_guest.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "base/crypto/secret.h"
#include "base/time/monotonic.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr milliseconds kConnectPatience{1000};
constexpr milliseconds kAnswerPatience{5000};
constexpr milliseconds kRetryPause{100};
// Additional time that this rank waits after the deadline, so that the message of rank 0, which lists the missing
// ranks, arrives first.
constexpr milliseconds kAfterDeadline{10000};
constexpr int kClockProbes = 8;
constexpr std::size_t kMaxReasonBytes = 1000;

// Returns the reason why rank 0 has cancelled the start. line: rank 0's last line on the control connection; empty if
// rank 0 closed the connection.
Problem startProblem(const std::optional<std::string>& line) {
    const auto verdict = line ? decodeVerdict(*line) : std::nullopt;
    if (verdict) return {"the start", "was cancelled by rank 0: " + *verdict, "see rank 0's output"};
    return {"rank 0", "ended before all ranks had connected", "see rank 0's output"};
}

// Search of one rank for rank 0: tries all hosts and ports until the deadline.
class Search {
  public:
    Search(const RendezvousTerms& terms, Greeting greeting)
        : m_terms(terms), m_greeting(std::move(greeting)), m_until(steady_clock::now() + terms.deadline) {}

    // Returns a connection that rank 0 has accepted for `role`, or the reason of the failure. control: the control
    // connection, or -1 if there is none yet. If rank 0 cancels the start on the control connection, the search ends,
    // because rank 0 no longer listens.
    Result<UniqueFd> connect(ConnectionRole role, int control = -1) {
        m_greeting.role = role;
        while (steady_clock::now() < m_until) {
            for (const int port : m_terms.ports) {
                for (const std::string& host : m_terms.hosts) {
                    UniqueFd socket = tryAt(host, port);
                    if (socket) return socket;
                    if (m_refused) return *m_refused;
                }
            }
            if (const auto problem = waitForRetry(control)) return *problem;
        }
        return Problem{
            "rank 0",
            "was not found within " + std::to_string(m_terms.deadline.count() / 1000) + " s at " + places() + m_hint,
            "check that rank 0 is running and that this host can connect to it; --master HOST:PORT sets its address"};
    }
    const std::string& hostKey() const { return m_hostKey; }

  private:
    // Waits for the time kRetryPause. Returns a problem if rank 0 has cancelled the start on the control connection.
    static std::optional<Problem> waitForRetry(int control) {
        pollfd waiting{control, POLLIN, 0};  // poll() ignores the descriptor -1
        if (::poll(&waiting, 1, static_cast<int>(kRetryPause.count())) <= 0) return {};
        const auto line = receiveLine(control, kMaxGreetingBytes, steady_clock::now() + kAnswerPatience);
        if (line && decodeClock(*line)) return {};  // ignores a late answer to compareClocks()
        return startProblem(line);
    }

    UniqueFd tryAt(const std::string& host, int port) {
        UniqueFd socket = connectTo(host, port, steady_clock::now() + kConnectPatience);
        if (!socket) return {};
        const auto until = steady_clock::now() + kAnswerPatience;
        const auto challenge = receiveLine(socket.get(), kMaxGreetingBytes, until);
        const auto nonce = challenge ? decodeChallenge(*challenge) : std::nullopt;
        if (!nonce) return {};
        m_greeting.nonce = randomHex(16);
        m_greeting.proof = hmacSha256(m_terms.token, m_greeting.provenText(*nonce));
        if (!sendLine(socket.get(), encodeGreeting(m_greeting), until)) return {};
        const auto line = receiveLine(socket.get(), kMaxGreetingBytes, until);
        const auto answer = line ? decodeAnswer(*line) : std::nullopt;
        if (!answer) return {};
        const std::string proof = hmacSha256(m_terms.token, answeredText(m_greeting.nonce, answer->refused));
        if (!isSameSecret(answer->proof, proof)) {
            m_hint = "; at port " + std::to_string(port) +
                     " a different run responds, or a run with a different RINGSIDE_TOKEN";
            return {};
        }
        if (!answer->refused.empty()) {
            m_refused = Problem{"this rank", answer->refused,
                                "start all ranks again, with the same program, experiment and number of ranks"};
            return {};
        }
        m_hostKey = answer->hostKey;
        return socket;
    }

    std::string places() const {
        std::string text;
        for (const std::string& host : m_terms.hosts) text += (text.empty() ? "" : ", ") + host;
        text += " port " + std::to_string(m_terms.ports.front());
        return m_terms.ports.size() > 1 ? text + " to " + std::to_string(m_terms.ports.back()) : text;
    }

    const RendezvousTerms& m_terms;
    Greeting m_greeting;
    const LineDeadline m_until;
    std::optional<Problem> m_refused;
    std::string m_hostKey;
    std::string m_hint;
};

// Estimates the offset between this host's clock and rank 0's. Uses the probe with the shortest round trip, because its
// error is at most half of that round trip. Returns a problem if rank 0 has cancelled the start.
std::optional<Problem> compareClocks(Joined& joined) {
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (int probe = 0; probe < kClockProbes; ++probe) {
        const std::int64_t sent = monotonicUs();
        const auto until = steady_clock::now() + kAnswerPatience;
        if (!sendLine(joined.channels.control.get(), kClockQuery, until)) return {};
        const auto line = receiveLine(joined.channels.control.get(), kMaxGreetingBytes, until);
        const auto there = line ? decodeClock(*line) : std::nullopt;
        if (line && decodeVerdict(*line)) return startProblem(line);
        const std::int64_t way = monotonicUs() - sent;
        if (!there || way >= best) continue;
        best = way;
        joined.clockOffsetUs = *there - (sent + way / 2);
        joined.clockErrorUs = way / 2;
    }
    return {};
}

Greeting greetingOf(const RendezvousTerms& terms, int rank, const std::string& hostName, const std::string& hostKey) {
    Greeting greeting;
    greeting.rank = rank;
    greeting.program = terms.program;
    greeting.experiment = terms.experiment;
    greeting.host = hostName;
    greeting.hostKey = hostKey;
    greeting.pid = ::getpid();
    return greeting;
}

}  // namespace

Result<Joined> joinRendezvous(const RendezvousTerms& terms, int rank, int worldSize, const std::string& hostName,
                              const std::string& ownHostKey) {
    Search search(terms, greetingOf(terms, rank, hostName, ownHostKey));
    Joined joined;
    for (const auto& [role, channel] : {std::pair{ConnectionRole::kControl, &joined.channels.control},
                                        std::pair{ConnectionRole::kTelemetry, &joined.channels.telemetry},
                                        std::pair{ConnectionRole::kStore, &joined.channels.store}}) {
        Result<UniqueFd> socket = search.connect(role, joined.channels.control.get());
        if (!socket) return socket.problem();
        *channel = std::move(socket).value();
        joined.sameHost = search.hostKey() == ownHostKey;
        // Rank 0 answers clock queries only while it waits for further connections of this rank.
        const bool isControl = channel == &joined.channels.control;
        const auto problem = isControl && !joined.sameHost ? compareClocks(joined) : std::nullopt;
        if (problem) return *problem;
    }
    const auto line = receiveLine(joined.channels.control.get(), kMaxWelcomeBytes,
                                  steady_clock::now() + terms.deadline + kAfterDeadline);
    const auto welcome = line ? decodeWelcome(*line, worldSize) : std::nullopt;
    if (!welcome) return startProblem(line);
    joined.welcome = *welcome;
    return joined;
}

void declineRendezvous(const RendezvousTerms& terms, int rank, const std::string& hostName, const std::string& reason) {
    Greeting greeting = greetingOf(terms, rank, hostName, "");
    greeting.reason = reason.substr(0, kMaxReasonBytes);
    [[maybe_unused]] const Result<UniqueFd> declined =
        Search(terms, std::move(greeting)).connect(ConnectionRole::kDeclines);
}

}  // namespace ringside
