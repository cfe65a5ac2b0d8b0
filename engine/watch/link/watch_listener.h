// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "launch/wire/authenticating_listener.h"
#include "watch/link/watched_rank.h"

namespace ringside {

// Listening sockets of a watcher. Accepts processes that prove that they know the secret, with the role kWatch. Used by
// one thread.
class WatchListener {
  public:
    explicit WatchListener(std::string secret) : m_secret(std::move(secret)) {}

    // Listens on a Unix socket that only this user can connect to. Returns false and sets errno on an error.
    bool listenAt(const std::filesystem::path& path) { return m_local.listenAt(path); }
    // Listens on a TCP port; 0: any free port. False on an error.
    bool listen(const std::string& host, int port) { return m_remote.listen(host, port, true); }
    int port() const;  // returns the port of the TCP socket
    void close();

    // Appends the sockets that the caller must pass to ::poll() before it calls poll() of this object.
    void addInterests(std::vector<pollfd>& waiting) const;

    // Decides about a process that has proven that it knows the secret. Returns the reason why the process is refused,
    // or an empty text to accept it.
    using Admit = std::function<std::string(const Greeting&)>;
    // Accepts connections and returns the ranks whose handshake is complete. Does not block.
    std::vector<std::unique_ptr<WatchedRank>> poll(const Admit& admit);
    // Returns the number of connections that were refused because they sent no valid greeting.
    std::int64_t refusedConnections() const { return m_local.refusedConnections() + m_remote.refusedConnections(); }

  private:
    bool checkLine(UniqueFd& socket, const std::string& nonce, const std::string& line, const Admit& admit);

    const std::string m_secret;
    AuthenticatingListener m_local, m_remote;
    std::vector<std::unique_ptr<WatchedRank>> m_admitted;
};

}  // namespace ringside
