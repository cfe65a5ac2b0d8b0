// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"
#include "base/text/line_splitter.h"
#include "launch/channels/control_command.h"
#include "run/read/run_directory.h"

namespace ringside {

// Socket on which a live run receives commands: an abstract Unix socket, which leaves no file behind after a crash.
// Its name is random and written to supervisor.json, which only the owner can read. Peers of other users, except root,
// are refused. One thread; no call blocks.
class ControlServer {
  public:
    static constexpr std::size_t kMaxClients = 32;

    // Opens the socket and writes supervisor.json. Throws IoError.
    explicit ControlServer(const RunPaths& paths);
    // Returns the descriptors that the caller must poll. The caller passes each ready descriptor to onReady().

    std::vector<pollfd> interests() const;
    // Accepts a client or reads from a client, without blocking. Calls onCommand for each valid command and ignores
    // other lines. Does nothing if `fd` does not belong to this server.
    void onReady(int fd, const std::function<void(const ControlCommand&)>& onCommand);

  private:
    void accept();

    UniqueFd m_listener;
    struct Client {
        UniqueFd socket;
        LineSplitter lines{4096};
    };
    std::map<int, Client> m_clients;
};

// Connection of another process to the supervisor of a live run.
class ControlClient {
  public:
    // Connects to the supervisor of a run. Returns a problem if no supervisor accepts the connection.
    static Result<ControlClient> connect(const RunPaths& paths);
    // Sends a command; blocks for up to 5 s. Returns false if the supervisor has exited or does not read.
    bool send(const ControlCommand& command) const;

  private:
    explicit ControlClient(UniqueFd socket) : m_socket(std::move(socket)) {}
    UniqueFd m_socket;
};

}  // namespace ringside
