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

// Where others tell a live run what to do: an abstract Unix socket (nothing is left behind, whoever is killed) whose
// name is random and stands in supervisor.json, readable by its owner only. Peers of another user are turned away.
class ControlServer {
  public:
    static constexpr std::size_t kMaxClients = 32;

    explicit ControlServer(const RunPaths& paths);  // throws IoError

    std::vector<pollfd> interests() const;
    // Accepts and reads without waiting; calls onCommand for each line that is one.
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

// A connection to the supervisor of a live run, from another process.
class ControlClient {
  public:
    // A problem when no supervisor answers.
    static Result<ControlClient> connect(const RunPaths& paths);
    bool send(const ControlCommand& command) const;  // false when the supervisor is gone

  private:
    explicit ControlClient(UniqueFd socket) : m_socket(std::move(socket)) {}
    UniqueFd m_socket;
};

}  // namespace ringside
