// SPDX-License-Identifier: Apache-2.0
#include "comm/socket_store.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

[[noreturn]] void failOn(const std::string& what, const std::string& why) {
    throw CommError("the rendezvous store failed while this rank " + what + ": " + why +
                    "; the supervisor may have ended");
}

}  // namespace

void SocketStore::set(const std::string& key, const std::vector<char>& value) {
    std::lock_guard lock(m_mutex);
    std::string what = "wrote the key '" + key + "'";
    if (key.size() > StoreFrame::kMaxKeyBytes || key.size() + value.size() + 16 > StoreFrame::kMaxBytes) {
        failOn(what, std::to_string(key.size() + value.size()) + " bytes exceed the limit of the store (1 MiB)");
    }
    StoreFrame frame{StoreFrame::Verb::kSet, key, {value.begin(), value.end()}};
    AwakeDeadline until(m_timeout);
    send(frame, until, what);
}

std::vector<char> SocketStore::get(const std::string& key, std::chrono::milliseconds deadline) {
    std::lock_guard lock(m_mutex);
    std::string what = "waited for the key '" + key + "'";
    if (key.size() > StoreFrame::kMaxKeyBytes) failOn(what, "the key is longer than 1,024 bytes");
    AwakeDeadline until(deadline);
    send({StoreFrame::Verb::kGet, key, {}}, until, what);
    StoreFrame frame = receive(until, what);
    if (frame.verb != StoreFrame::Verb::kValue || frame.key != key) failOn(what, "the store sent an unexpected reply");
    return {frame.value.begin(), frame.value.end()};
}

void SocketStore::send(const StoreFrame& frame, AwakeDeadline& deadline, const std::string& what) {
    std::string bytes = encodeStoreFrame(frame);
    for (std::string_view rest = bytes; !rest.empty();) {
        waitFor(POLLOUT, deadline, what);
        ssize_t count = ::send(m_socket.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count < 0) failOn(what, errnoText(errno));
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
}

StoreFrame SocketStore::receive(AwakeDeadline& deadline, const std::string& what) {
    std::array<char, 4096> buffer;
    while (true) {
        if (auto frame = m_reader.next()) return std::move(*frame);
        if (m_reader.isBroken()) failOn(what, "the store sent bytes that do not follow its protocol");
        waitFor(POLLIN, deadline, what);
        ssize_t count = ::recv(m_socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count < 0) failOn(what, errnoText(errno));
        if (count == 0) failOn(what, "the store closed the connection");
        m_reader.append({buffer.data(), static_cast<std::size_t>(count)});
    }
}

void SocketStore::waitFor(short events, AwakeDeadline& deadline, const std::string& what) {
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline.nextCheck() - std::chrono::steady_clock::now());
        pollfd poll{m_socket.get(), events, 0};
        const int ready = ::poll(&poll, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (ready > 0) return;
        if (ready < 0 && errno != EINTR) failOn(what, errnoText(errno));
        if (!deadline.hasPassed()) continue;
        if (events == POLLIN)
            throw CommError("this rank " + what + " until the timeout, but no rank has written this key");
        failOn(what, "the timeout was reached");
    }
}

}  // namespace ringside
