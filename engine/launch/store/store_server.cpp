// SPDX-License-Identifier: Apache-2.0
#include "launch/store/store_server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace ringside {

void StoreServer::add(UniqueFd socket, std::string peer) {
    int fd = socket.get();
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    Connection& connection = m_connections[fd];
    connection.socket = std::move(socket);
    connection.peer = std::move(peer);
}

std::vector<pollfd> StoreServer::interests() const {
    std::vector<pollfd> wanted;
    for (const auto& [fd, connection] : m_connections) {
        short writing = connection.output.empty() ? short{0} : short{POLLOUT};
        wanted.push_back({fd, static_cast<short>(POLLIN | writing), 0});
    }
    return wanted;
}

void StoreServer::onReady(int fd, short events) {
    auto found = m_connections.find(fd);
    if (found == m_connections.end() || events == 0) return;
    Connection& connection = found->second;
    bool open = (events & POLLNVAL) == 0 && readAll(connection) && writeSome(connection);
    if (!open) m_connections.erase(fd);
}

// Reads all complete frames of a connection and answers them. Returns false if the connection has ended or broke the
// protocol.
bool StoreServer::readAll(Connection& connection) {
    std::array<char, 16384> buffer;
    for (int round = 0; round < 64; ++round) {  // bounds the number of reads, so that one rank cannot block the others
        ssize_t count = ::recv(connection.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        if (count == 0) return false;
        connection.reader.append({buffer.data(), static_cast<std::size_t>(count)});
        while (auto frame = connection.reader.next()) {
            if (!serve(connection, std::move(*frame))) return false;
        }
        if (connection.reader.isBroken())
            return refuse(connection, "sent bytes that do not follow the store's protocol");
    }
    return true;
}

bool StoreServer::serve(Connection& connection, StoreFrame frame) {
    if (frame.verb == StoreFrame::Verb::kSet) return storeValue(connection, std::move(frame));
    if (frame.verb != StoreFrame::Verb::kGet || connection.waiting || !connection.output.empty()) {
        return refuse(connection, "sent a request to the store in the wrong order");
    }
    auto found = m_values.find(frame.key);
    if (found != m_values.end()) {
        sendAnswer(connection, found->first, found->second);
    } else {
        connection.wanted = std::move(frame.key);
        connection.waiting = true;
    }
    return true;
}

bool StoreServer::storeValue(Connection& connection, StoreFrame frame) {
    auto found = m_values.find(frame.key);
    std::size_t replaced = found == m_values.end() ? 0 : found->first.size() + found->second.size();
    std::size_t total = m_storedBytes - replaced + frame.key.size() + frame.value.size();
    if (total > kMaxStoredBytes) return refuse(connection, "filled the store beyond 64 MiB");
    if (found == m_values.end() && m_values.size() >= kMaxKeys) {
        return refuse(connection, "filled the store beyond 65,536 keys");
    }
    m_storedBytes = total;
    m_values[frame.key] = std::move(frame.value);
    replyToWaiting(frame.key);
    return true;
}

void StoreServer::replyToWaiting(const std::string& key) {
    for (auto& [fd, connection] : m_connections) {
        if (!connection.waiting || connection.wanted != key) continue;
        connection.waiting = false;
        sendAnswer(connection, key, m_values[key]);
        writeSome(connection);  // an error is reported again when this connection is next ready
    }
}

void StoreServer::sendAnswer(Connection& connection, const std::string& key, const std::string& value) {
    connection.output += encodeStoreFrame({StoreFrame::Verb::kValue, key, value});
}

bool StoreServer::writeSome(Connection& connection) {
    while (!connection.output.empty()) {
        ssize_t count = ::send(connection.socket.get(), connection.output.data(), connection.output.size(),
                               MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        connection.output.erase(0, static_cast<std::size_t>(count));
    }
    return true;
}

bool StoreServer::refuse(const Connection& connection, const std::string& message) {
    m_problems.push_back(
        {connection.peer, message, "this rank is disconnected from the key-value store; see the log of the run"});
    return false;
}

}  // namespace ringside
