// SPDX-License-Identifier: Apache-2.0
#include "launch/channels/shared_handover.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "launch/wire/line_socket.h"

namespace ringside {
namespace {

using std::chrono::steady_clock;

struct AbstractAddress {
    sockaddr_un value{};
    socklen_t length = 0;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&value); }
};

AbstractAddress addressFor(const std::string& name, int host) {
    const std::string path = "ringside-shared-" + name.substr(0, 64) + "-" + std::to_string(host);
    AbstractAddress address;
    address.value.sun_family = AF_UNIX;
    std::memcpy(address.value.sun_path + 1, path.data(), path.size());
    address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
    return address;
}

bool belongsToThisUser(int socket) {
    ucred peer{};
    socklen_t length = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
    return peer.uid == ::geteuid() || peer.uid == 0;
}

// Message of one byte that also carries one file descriptor (SCM_RIGHTS).
struct DescriptorMessage {
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};

    DescriptorMessage() {
        header.msg_iov = &data;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
    }
};

bool sendDescriptor(int socket, int fd) {
    DescriptorMessage message;
    cmsghdr* part = CMSG_FIRSTHDR(&message.header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(part), &fd, sizeof fd);
    return ::sendmsg(socket, &message.header, MSG_NOSIGNAL) == 1;
}

UniqueFd receiveDescriptor(int socket) {
    DescriptorMessage message;
    if (::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC) != 1) return {};
    const cmsghdr* part = CMSG_FIRSTHDR(&message.header);
    if (part == nullptr || part->cmsg_type != SCM_RIGHTS || part->cmsg_len != CMSG_LEN(sizeof(int))) return {};
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(part), sizeof fd);
    return UniqueFd(fd);
}

bool readable(int fd, LineDeadline deadline) {
    pollfd waiting{fd, POLLIN, 0};
    return ::poll(&waiting, 1, pollTimeout(deadline)) > 0;
}

}  // namespace

SharedHandover::SharedHandover(const std::string& name, int host)
    : m_listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    const AbstractAddress address = addressFor(name, host);
    if (!m_listener || ::bind(m_listener.get(), address.get(), address.length) != 0 ||
        ::listen(m_listener.get(), 256) != 0)
        throw IoError("the ranks of this host cannot receive their shared memory (" + errnoText(errno) +
                      "): use parallel.backend=gloo");
}

void SharedHandover::serve(int sharedFd, int count, std::chrono::milliseconds deadline) const {
    const auto until = steady_clock::now() + deadline;
    for (int served = 0; served < count;) {
        if (steady_clock::now() >= until)
            throw CommError("only " + std::to_string(served) + " of " + std::to_string(count) +
                            " ranks of this host fetched their shared memory: see the output of the missing ranks");
        if (!readable(m_listener.get(), until)) continue;
        const UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (socket && belongsToThisUser(socket.get()) && sendDescriptor(socket.get(), sharedFd)) ++served;
    }
}

UniqueFd fetchShared(const std::string& name, int host, std::chrono::milliseconds deadline) {
    const auto until = steady_clock::now() + deadline;
    const AbstractAddress address = addressFor(name, host);
    while (steady_clock::now() < until) {
        const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (socket && ::connect(socket.get(), address.get(), address.length) == 0 && belongsToThisUser(socket.get()) &&
            readable(socket.get(), until)) {
            UniqueFd shared = receiveDescriptor(socket.get());
            if (shared) return shared;
        }
        ::poll(nullptr, 0, 20);
    }
    throw CommError("the first rank of this host did not share its memory: see the output of that rank");
}

}  // namespace ringside
