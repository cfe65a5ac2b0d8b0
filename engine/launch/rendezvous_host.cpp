// SPDX-License-Identifier: Apache-2.0
#include "launch/rendezvous_host.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/files.h"
#include "launch/proof.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr milliseconds kGreetingPatience{5000};
constexpr milliseconds kSendPatience{1000};
constexpr int kFirstPort = 20000;  // below the ports that kernels give to connections
constexpr int kPortSpan = 12000;
constexpr int kPortChoices = 8;
constexpr std::size_t kMostNamed = 8;  // missing ranks in a sentence

std::int64_t nowUs() {
    return std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now().time_since_epoch()).count();
}

int portFrom(const std::string& job) {
    return kFirstPort + static_cast<int>(std::stoul(sha256Text("port " + job).substr(0, 7), nullptr, 16) %
                                         static_cast<unsigned long>(kPortSpan - kPortChoices));
}

}  // namespace

RendezvousTerms termsOf(const LaunchPlace& place, const std::string& token, const std::string& program,
                        const std::string& experiment) {
    RendezvousTerms terms;
    terms.token = token.empty() ? sha256Text("ringside job " + place.job) : token;
    terms.program = program;
    terms.experiment = experiment;
    terms.hosts = place.masterHosts;
    if (place.masterPort != 0) {
        terms.ports = {place.masterPort};
    } else {
        for (int i = 0; i < kPortChoices; ++i) terms.ports.push_back(portFrom(place.job) + i);
    }
    return terms;
}

RendezvousHost::RendezvousHost(RendezvousTerms terms, const LaunchPlace& place, std::string ownHostKey)
    : m_terms(std::move(terms)), m_place(place), m_hostKey(std::move(ownHostKey)) {}

// Debian's /etc/hosts gives a host's own name an address that no other host reaches.
void RendezvousHost::openToOthers(const std::string& host, sockaddr& address) const {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&address);
    const bool loops = address.sa_family == AF_INET && (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
    const bool named = host != "localhost" && host.find_first_not_of("0123456789.") != std::string::npos;
    if (loops && named && !m_place.isOneHost()) v4->sin_addr.s_addr = htonl(INADDR_ANY);
}

bool RendezvousHost::bindTo(const std::string& host, int port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return false;
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        UniqueFd socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const int on = 1;
        openToOthers(host, *one->ai_addr);
        if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) continue;
        if (::bind(socket.get(), one->ai_addr, one->ai_addrlen) != 0 || ::listen(socket.get(), 1024) != 0) continue;
        m_listener = std::move(socket);
        return true;
    }
    return false;
}

Problems RendezvousHost::listen() {
    for (const int port : m_terms.ports) {
        for (const std::string& host : m_terms.hosts) {
            if (bindTo(host, port)) return {};
        }
    }
    std::string hosts;
    for (const std::string& host : m_terms.hosts) hosts += (hosts.empty() ? "" : ", ") + host;
    return {{"rank 0",
             "cannot listen on port " + std::to_string(m_terms.ports.front()) + " of " +
                 (hosts.empty() ? "any host" : hosts) + " (" + errnoText(errno) + ")",
             "say with --master HOST:PORT where rank 0's host can be reached, the same on all ranks"}};
}

std::string RendezvousHost::address() const {
    return ownAddress(m_listener.get(), true);
}

Result<Gathering> RendezvousHost::gather(int stopFd, const std::function<void(const std::string&)>& say) {
    m_startedAt = steady_clock::now();
    m_sayAt = m_startedAt + seconds(2);
    while (!allHere()) {
        if (steady_clock::now() - m_startedAt > m_terms.deadline)
            return dismiss({"the start",
                            "failed: " + missingText() + " did not come within " +
                                std::to_string(m_terms.deadline.count() / 1000) + " s",
                            "see their output; they must reach " + address() + ", or wait longer with --wait SECONDS"});
        if (waitForInput(stopFd)) {
            Gathering stopped = close();
            stopped.stopped = true;
            return stopped;
        }
        accept();
        readPending();
        readControls();
        if (m_problem) return dismiss(*m_problem);
        sayMissing(say);
    }
    return close();
}

// True when asked to stop. What is ready is found by looking at all: there are few, and this is before training.
bool RendezvousHost::waitForInput(int stopFd) const {
    std::vector<pollfd> waiting{{stopFd, POLLIN, 0}, {m_listener.get(), POLLIN, 0}};
    for (const Pending& pending : m_pending) waiting.push_back({pending.socket.get(), POLLIN, 0});
    for (const auto& [rank, guest] : m_guests) {
        if (guest.control) waiting.push_back({guest.control.get(), POLLIN, 0});
    }
    ::poll(waiting.data(), waiting.size(), 50);
    return stopFd >= 0 && (waiting.front().revents & POLLIN) != 0;
}

void RendezvousHost::accept() {
    for (std::size_t round = 0; round < kMostPending; ++round) {  // bounded: a flood must not keep us here
        UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) return;
        if (m_pending.size() >= kMostPending) {
            m_pending.pop_front();  // whoever has been silent for longest
            ++m_strangers;
        }
        sendWithoutDelay(socket.get());
        Pending pending{std::move(socket), randomHex(16), steady_clock::now() + kGreetingPatience};
        if (!sendLine(pending.socket.get(), encodeChallenge(pending.nonce), steady_clock::now())) continue;
        m_pending.push_back(std::move(pending));
    }
}

void RendezvousHost::readPending() {
    for (auto pending = m_pending.begin(); pending != m_pending.end();) {
        const TakenLine taken = takeLineNow(pending->socket.get(), kMaxGreetingBytes);
        const bool waits = taken.state == TakenLine::State::kNotYet && steady_clock::now() < pending->deadline;
        if (waits) {
            ++pending;
            continue;
        }
        if (taken.state != TakenLine::State::kLine || !greet(*pending, taken.text)) ++m_strangers;
        pending = m_pending.erase(pending);
    }
}

// False for a stranger.
bool RendezvousHost::greet(Pending& pending, const std::string& line) {
    const std::optional<Greeting> greeting = decodeGreeting(line);
    if (!greeting || !sameSecret(greeting->proof, hmacSha256(m_terms.token, greeting->provenText(pending.nonce)))) {
        sendLine(pending.socket.get(), encodeAnswer({"", "the token is another run's", ""}), steady_clock::now());
        return false;
    }
    const std::string refused = objection(*greeting);
    answer(pending.socket.get(), *greeting, refused);
    if (!refused.empty()) {
        m_problem = Problem{"rank " + std::to_string(greeting->rank) + " on " + greeting->host, refused,
                            "start all ranks with the same program, experiment and number of ranks"};
    } else {
        seat(pending, *greeting);
    }
    return true;
}

void RendezvousHost::answer(int socket, const Greeting& greeting, const std::string& refused) const {
    sendLine(socket,
             encodeAnswer({hmacSha256(m_terms.token, answeredText(greeting.nonce, refused)), refused, m_hostKey}),
             steady_clock::now() + kSendPatience);
}

// Why somebody who knows the token cannot be one of us.
std::string RendezvousHost::objection(const Greeting& greeting) {
    if (greeting.program != m_terms.program)
        return "runs ringside " + greeting.program + ", but rank 0 runs " + m_terms.program;
    if (greeting.experiment != m_terms.experiment)
        return "has another experiment than rank 0 (hash " + greeting.experiment.substr(0, 12) + " instead of " +
               m_terms.experiment.substr(0, 12) + ")";
    if (greeting.rank < 1 || greeting.rank >= m_place.worldSize)
        return "is not one of the ranks 1 to " + std::to_string(m_place.worldSize - 1) + " that are awaited";
    const auto guest = m_guests.find(greeting.rank);
    if (guest == m_guests.end()) return greeting.role == "control" ? "" : "has not said who it is first";
    const bool same = guest->second.host == greeting.host && guest->second.hostKey == greeting.hostKey &&
                      guest->second.pid == static_cast<pid_t>(greeting.pid);
    if (!same) return "came twice: also from " + guest->second.host + ", process " + std::to_string(guest->second.pid);
    return greeting.role == "telemetry" || greeting.role == "store" ? "" : "came twice from the same process";
}

void RendezvousHost::seat(Pending& pending, const Greeting& greeting) {
    Guest& guest = m_guests[greeting.rank];
    if (greeting.role == "telemetry") guest.telemetry = std::move(pending.socket);
    if (greeting.role == "store") guest.store = std::move(pending.socket);
    if (greeting.role != "control") return;
    guest.rank = greeting.rank;
    guest.host = greeting.host;
    guest.hostKey = greeting.hostKey;
    guest.pid = static_cast<pid_t>(greeting.pid);
    guest.address = peerAddress(pending.socket.get(), false);
    guest.control = std::move(pending.socket);
}

// Those who are here ask for the time, and may leave.
void RendezvousHost::readControls() {
    for (auto& [rank, guest] : m_guests) {
        const TakenLine taken = takeLineNow(guest.control.get(), kMaxGreetingBytes);
        if (taken.state == TakenLine::State::kNotYet) continue;
        if (taken.state == TakenLine::State::kLine && taken.text == kClockQuestion) {
            sendLine(guest.control.get(), encodeClock(nowUs()), steady_clock::now() + kSendPatience);
            continue;
        }
        m_problem = Problem{"rank " + std::to_string(rank) + " on " + guest.host, "left before all ranks had come",
                            "see its output"};
    }
}

bool RendezvousHost::allHere() const {
    return static_cast<int>(m_guests.size()) == m_place.worldSize - 1 &&
           std::all_of(m_guests.begin(), m_guests.end(), [](const auto& one) { return one.second.complete(); });
}

std::string RendezvousHost::missingText() const {
    std::string text;
    std::size_t count = 0;
    for (int rank = 1; rank < m_place.worldSize; ++rank) {
        const auto guest = m_guests.find(rank);
        if (guest != m_guests.end() && guest->second.complete()) continue;
        if (++count > kMostNamed) continue;
        const std::string host = m_place.hostOf(rank);
        text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank);
        if (!host.empty()) text += " (on " + host + ")";
    }
    return count > kMostNamed ? text + " and " + std::to_string(count - kMostNamed) + " more" : text;
}

// After 2 s, 6 s, 14 s, ...
void RendezvousHost::sayMissing(const std::function<void(const std::string&)>& say) {
    const auto now = steady_clock::now();
    if (now < m_sayAt || allHere()) return;
    const auto waited = std::chrono::duration_cast<seconds>(now - m_startedAt);
    say("waiting for " + missingText() + ", " + std::to_string(waited.count()) + " s so far; they must reach " +
        address());
    m_sayAt = now + 2 * std::max(waited, seconds(2));
}

// Nobody who is here shall wait in vain.
Problem RendezvousHost::dismiss(Problem problem) {
    for (const auto& [rank, guest] : m_guests)
        sendLine(guest.control.get(), encodeVerdict(problem.text()), steady_clock::now());
    close();
    return problem;
}

Gathering RendezvousHost::close() {
    m_listener.reset();
    m_pending.clear();
    Gathering gathering;
    for (auto& [rank, guest] : m_guests) gathering.guests.push_back(std::move(guest));
    m_guests.clear();
    return gathering;
}

}  // namespace ringside
