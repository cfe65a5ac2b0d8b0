// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/system/unique_fd.h"
#include "launch/exchange/job_server.h"

namespace ringside {

// Client of a PMI-1 server over its wire protocol (MPICH's src/pmi; lines of key=value): Hydra of MPICH and Intel MPI,
// gforker, Flux. The server is reached over the inherited socket PMI_FD, or, with `mpiexec -pmi-port`, over TCP at
// PMI_PORT with the identifier PMI_ID.
class PmiServer : public JobServer {
  public:
    static Result<std::unique_ptr<JobServer>> connect(const LaunchSources& sources, LineDeadline deadline);

    PmiServer(UniqueFd socket, ServerLayout layout) : m_socket(std::move(socket)), m_layout(layout) {}

    ServerLayout layout() const override { return m_layout; }
    Result<std::string> shareFromFirst(const std::string& text, LineDeadline deadline) override;
    void leave() override;

  private:
    using Fields = std::map<std::string, std::string>;

    bool identify(const std::string& id, LineDeadline deadline);
    bool start(LineDeadline deadline);
    std::optional<Fields> receive(const std::string& command, LineDeadline deadline);
    std::optional<Fields> request(const std::string& line, const std::string& command, LineDeadline deadline);

    UniqueFd m_socket;
    ServerLayout m_layout;
};

}  // namespace ringside
