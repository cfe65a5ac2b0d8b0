// SPDX-License-Identifier: Apache-2.0
#include "launch/wire/line_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>

namespace ringside {
namespace {

using std::chrono::steady_clock;

bool waitUntilReady(int socket, short events, LineDeadline deadline) {
    for (;;) {
        pollfd waiting{socket, events, 0};
        const int ready = ::poll(&waiting, 1, pollTimeout(deadline));
        if (ready > 0) return true;
        if (ready == 0 && steady_clock::now() >= deadline) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

void setBlocking(int socket, bool blocking) {
    const int flags = ::fcntl(socket, F_GETFL);
    ::fcntl(socket, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

std::string textOf(const sockaddr_storage& address, socklen_t length, bool withPort) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, host.data(), host.size(), port.data(),
                      port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return {};
    return withPort ? std::string(host.data()) + ":" + port.data() : host.data();
}

bool connectNow(int socket, const addrinfo& address, LineDeadline deadline) {
    if (::connect(socket, address.ai_addr, address.ai_addrlen) == 0) return true;
    if (errno != EINPROGRESS || !waitUntilReady(socket, POLLOUT, deadline)) return false;
    int error = 0;
    socklen_t length = sizeof error;
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
}

// True if the socket is connected to itself. This happens when the kernel chooses the target port on this host as the
// socket's own port.
bool isItself(int socket) {
    return ownAddress(socket, true) == peerAddress(socket, true);
}

}  // namespace

int pollTimeout(LineDeadline deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 60000));
}

// Finds the newline in the received bytes without removing them, then removes only the bytes up to the newline from the
// socket.
LineResult LineReader::read(int socket) {
    std::array<char, 4096> bytes;
    for (;;) {
        const ssize_t seen = ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
        if (seen < 0 && errno == EINTR) continue;
        if (seen < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
        if (seen <= 0) return {LineResult::State::kEnded, {}};
        const auto* const end = std::find(bytes.data(), bytes.data() + seen, '\n');
        const bool isWhole = end != bytes.data() + seen;
        const auto length = static_cast<std::size_t>(end - bytes.data());
        if (m_begun.size() + length > m_maxBytes) return {LineResult::State::kTooLong, {}};
        const std::size_t wanted = length + (isWhole ? 1 : 0);
        if (::recv(socket, bytes.data(), wanted, MSG_DONTWAIT) != static_cast<ssize_t>(wanted))
            return {LineResult::State::kEnded, {}};
        m_begun.append(bytes.data(), length);
        if (isWhole) return {LineResult::State::kLine, std::exchange(m_begun, {})};
    }
}

std::optional<std::string> receiveLine(int socket, std::size_t maxBytes, LineDeadline deadline) {
    for (LineReader reader(maxBytes); waitUntilReady(socket, POLLIN, deadline);) {
        LineResult taken = reader.read(socket);
        if (taken.state == LineResult::State::kLine) return std::move(taken.text);
        if (taken.state != LineResult::State::kNotYet || steady_clock::now() >= deadline) return {};
    }
    return {};
}

bool sendLine(int socket, std::string_view line, LineDeadline deadline) {
    const std::string text = std::string(line) + "\n";
    for (std::string_view rest = text; !rest.empty();) {
        const ssize_t sent = ::send(socket, rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) {
            rest.remove_prefix(static_cast<std::size_t>(sent));
        } else if (sent < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
            return false;
        } else if (!waitUntilReady(socket, POLLOUT, deadline)) {
            return false;
        }
    }
    return true;
}

std::string peerAddress(int socket, bool withPort) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
    return textOf(address, length, withPort);
}

std::string ownAddress(int socket, bool withPort) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
    return textOf(address, length, withPort);
}

UniqueFd connectTo(const std::string& host, int port, LineDeadline deadline) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        UniqueFd socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (!socket || !connectNow(socket.get(), *one, deadline) || isItself(socket.get())) continue;
        setBlocking(socket.get(), true);
        sendWithoutDelay(socket.get());
        return socket;
    }
    return {};
}

void sendWithoutDelay(int socket) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

}  // namespace ringside
