// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/errors/result.h"
#include "base/system/unique_fd.h"
#include "launch/store/store_protocol.h"

namespace ringside {

// Key-value store through which ranks exchange connection data, driven by the supervisor's poll loop: add the
// supervisor's end of each rank's socket, poll interests(), pass ready descriptors to onReady(). Never blocks. A peer
// that breaks the protocol or exceeds a limit is disconnected and reported as a problem; other connections are
// unaffected.
class StoreServer {
  public:
    static constexpr std::size_t kMaxKeys = 65536;
    static constexpr std::size_t kMaxStoredBytes = std::size_t{64} << 20;

    // Adds a connected stream socket and owns it. `peer` is the name used in problems ("rank 3").
    void add(UniqueFd socket, std::string peer);

    // Returns the descriptors and events to poll.
    std::vector<pollfd> interests() const;

    // Reads requests, answers them and writes as much as possible without blocking. Ignores unknown descriptors.
    void onReady(int fd, short events);

    std::size_t connectionCount() const { return m_connections.size(); }

    // Returns the protocol violations since the last call.
    Problems takeProblems() { return std::exchange(m_problems, {}); }

  private:
    struct Connection {
        UniqueFd socket;
        std::string peer;
        StoreFrameReader reader;
        std::string wanted;  // key of the get request that is not answered yet; valid if `waiting`
        bool waiting = false;
        std::string output;
    };

    bool readAll(Connection& connection);
    bool writeSome(Connection& connection);
    bool serve(Connection& connection, StoreFrame frame);
    bool storeValue(Connection& connection, StoreFrame frame);
    void replyToWaiting(const std::string& key);
    static void sendAnswer(Connection& connection, const std::string& key, const std::string& value);
    bool refuse(const Connection& connection, const std::string& message);

    std::map<int, Connection> m_connections;  // connections of the ranks, by descriptor
    std::map<std::string, std::string> m_values;
    std::size_t m_storedBytes = 0;
    Problems m_problems;
};

}  // namespace ringside
