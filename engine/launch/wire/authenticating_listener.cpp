// SPDX-License-Identifier: Apache-2.0
#include "launch/wire/authenticating_listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/crypto/secret.h"
#include "launch/wire/greeting.h"

namespace ringside {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAuthenticationTimeout{5000};
constexpr std::chrono::milliseconds kAcceptPause{
    200};  // pause before the next accept() when file descriptors have run out

void openToAll(const std::string& host, sockaddr& address) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&address);
    const bool loops = address.sa_family == AF_INET && (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
    const bool named = host != "localhost" && host.find_first_not_of("0123456789.") != std::string::npos;
    if (loops && named) v4->sin_addr.s_addr = htonl(INADDR_ANY);
}

}  // namespace

bool AuthenticatingListener::listen(const std::string& host, int port, bool loopbackIsAny) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return false;
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        UniqueFd socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const int on = 1;
        if (loopbackIsAny) openToAll(host, *one->ai_addr);
        if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) continue;
        if (::bind(socket.get(), one->ai_addr, one->ai_addrlen) != 0 || ::listen(socket.get(), 1024) != 0) continue;
        m_listener = std::move(socket);
        return true;
    }
    return false;
}

bool AuthenticatingListener::listenAt(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.native().size() >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return false;
    if (::chmod(path.c_str(), 0600) != 0 || ::listen(socket.get(), 1024) != 0) return false;
    m_listener = std::move(socket);
    return true;
}

void AuthenticatingListener::close() {
    m_listener.reset();
    m_pending.clear();
}

std::string AuthenticatingListener::address() const {
    return ownAddress(m_listener.get(), true);
}

void AuthenticatingListener::addInterests(std::vector<pollfd>& waiting) const {
    if (m_listener && steady_clock::now() >= m_acceptAgainAt) waiting.push_back({m_listener.get(), POLLIN, 0});
    for (const Pending& pending : m_pending) waiting.push_back({pending.socket.get(), POLLIN, 0});
}

// Closes the oldest connection that has not sent a greeting. Returns false if there is none.
bool AuthenticatingListener::closeOldestPending() {
    if (m_pending.empty()) return false;
    m_pending.pop_front();
    ++m_refusedConnections;
    return true;
}

void AuthenticatingListener::accept() {
    // Accepts only a limited number of connections per call, so that a flood of connections cannot block the caller.
    for (std::size_t round = 0; round < kMaxPending; ++round) {
        UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket && (errno == EMFILE || errno == ENFILE)) {
            if (closeOldestPending()) continue;
            m_acceptAgainAt = steady_clock::now() + kAcceptPause;
        }
        if (!socket) return;
        if (m_pending.size() >= kMaxPending) closeOldestPending();
        sendWithoutDelay(socket.get());
        Pending pending{std::move(socket), randomHex(16), steady_clock::now() + kAuthenticationTimeout,
                        LineReader(kMaxGreetingBytes)};
        if (!sendLine(pending.socket.get(), encodeChallenge(pending.nonce), steady_clock::now())) continue;
        m_pending.push_back(std::move(pending));
    }
}

void AuthenticatingListener::poll(const CheckLine& checkLine) {
    if (m_listener) accept();
    for (auto pending = m_pending.begin(); pending != m_pending.end();) {
        const LineResult taken = pending->reader.read(pending->socket.get());
        if (taken.state == LineResult::State::kNotYet && steady_clock::now() < pending->deadline) {
            ++pending;
            continue;
        }
        const bool known =
            taken.state == LineResult::State::kLine && checkLine(pending->socket, pending->nonce, taken.text);
        if (!known) ++m_refusedConnections;
        pending = m_pending.erase(pending);
    }
}

}  // namespace ringside
