// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors/errors.h"
#include "launch/store/store_server.h"

namespace ringside::test {

inline std::pair<UniqueFd, UniqueFd> socketPair() {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) throw IoError("no socket pair");
    return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

// Store server with its own thread and poll loop. It replaces the server that a supervisor runs.
class StoreServerThread {
  public:
    explicit StoreServerThread(int ranks, bool startNow = true) {
        for (int rank = 0; rank < ranks; ++rank) {
            auto [serverEnd, rankEnd] = socketPair();
            m_server.add(std::move(serverEnd), "rank " + std::to_string(rank));
            m_sockets.push_back(std::move(rankEnd));
        }
        std::tie(m_stopRead, m_stopWrite) = socketPair();
        if (startNow) start();
    }
    // Starts the thread. A process that forks must call this after the fork.
    void start() {
        m_thread = std::thread([this] { loop(); });
    }
    ~StoreServerThread() {
        m_stopWrite.reset();
        if (m_thread.joinable()) m_thread.join();
    }
    // Closes all sockets of the ranks in the parent process. Forked children take theirs before, so that the server
    // detects the end of a child.
    void dropSockets() { m_sockets.clear(); }
    UniqueFd takeSocket(int rank) { return std::move(m_sockets[static_cast<std::size_t>(rank)]); }

  private:
    void loop() {
        while (true) {
            auto fds = m_server.interests();
            fds.push_back({m_stopRead.get(), POLLIN, 0});
            ::poll(fds.data(), fds.size(), -1);
            if (fds.back().revents != 0) return;
            for (const auto& fd : fds) m_server.onReady(fd.fd, fd.revents);
        }
    }

    StoreServer m_server;
    std::vector<UniqueFd> m_sockets;
    UniqueFd m_stopRead;
    UniqueFd m_stopWrite;
    std::thread m_thread;
};

}  // namespace ringside::test
