// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/control_server.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/json/json.h"
#include "base/system/files.h"

namespace ringside {
namespace {

struct Address {
    sockaddr_un value{};
    socklen_t length = 0;
};

// Returns the address of an abstract Unix socket: there is no file, and the kernel frees the name when the last socket
// with this address is closed.
Address addressOf(const std::string& token) {
    Address address;
    address.value.sun_family = AF_UNIX;
    const std::string name = "ringside-" + token;
    std::memcpy(address.value.sun_path + 1, name.data(), name.size());
    address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return address;
}

std::string randomToken() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw IoError("the kernel returned no random bytes for the control socket (" + errnoText(errno) + ")");
    }
    std::string token;
    for (const unsigned char byte : bytes) {
        token += "0123456789abcdef"[byte >> 4];
        token += "0123456789abcdef"[byte & 15];
    }
    return token;
}

bool isOurUser(int fd) {
    ucred peer{};
    socklen_t length = sizeof peer;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
    return peer.uid == ::geteuid() || peer.uid == 0;
}

Problem notAnswering(const RunPaths& paths) {
    return {paths.directory.string(), "has no live run", "start one with ringsidectl run"};
}

}  // namespace

ControlServer::ControlServer(const RunPaths& paths)
    : m_listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    const std::string token = randomToken();
    const Address address = addressOf(token);
    if (!m_listener ||
        ::bind(m_listener.get(), reinterpret_cast<const sockaddr*>(&address.value), address.length) != 0 ||
        ::listen(m_listener.get(), static_cast<int>(kMaxClients)) != 0) {
        throw IoError("the control socket cannot be opened (" + errnoText(errno) + "): close other programs");
    }
    const mode_t previous = ::umask(0077);
    const Json json = {{"version", 1}, {"pid", ::getpid()}, {"token", token}};
    writeFileAtomically(paths.supervisor(), json.dump() + "\n");
    ::umask(previous);
}

std::vector<pollfd> ControlServer::interests() const {
    std::vector<pollfd> all{{m_listener.get(), POLLIN, 0}};
    for (const auto& [fd, client] : m_clients) all.push_back({fd, POLLIN, 0});
    return all;
}

void ControlServer::onReady(int fd, const std::function<void(const ControlCommand&)>& onCommand) {
    if (fd == m_listener.get()) return accept();
    const auto found = m_clients.find(fd);
    if (found == m_clients.end()) return;
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
        m_clients.erase(found);
        return;
    }
    found->second.lines.feed({buffer.data(), static_cast<std::size_t>(got)}, [&](std::string_view line) {
        if (const Result<ControlCommand> command = decodeControl(line)) onCommand(command.value());
    });
}

void ControlServer::accept() {
    UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket || !isOurUser(socket.get()) || m_clients.size() >= kMaxClients) return;
    const int fd = socket.get();
    m_clients[fd].socket = std::move(socket);
}

Result<ControlClient> ControlClient::connect(const RunPaths& paths) {
    const Result<Json> json = readJsonFile(paths.supervisor(), 4096);
    if (!json || !json.value().is_object()) return notAnswering(paths);
    const auto token = json.value().find("token");
    if (token == json.value().end() || !token->is_string() || token->get<std::string>().size() != 32) {
        return notAnswering(paths);
    }
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{5, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const Address address = addressOf(token->get<std::string>());
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.value), address.length) != 0) {
        return notAnswering(paths);
    }
    return ControlClient(std::move(socket));
}

bool ControlClient::send(const ControlCommand& command) const {
    const std::string text = encodeControl(command);
    return ::send(m_socket.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

}  // namespace ringside
