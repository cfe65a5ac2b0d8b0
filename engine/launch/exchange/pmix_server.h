// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "launch/exchange/job_server.h"

namespace ringside {

// Client of a PMIx server (Open MPI 5, PRRTE and others) through the library libpmix, which is loaded at run time: the
// launcher's own copy where its prefix is known, else the system's.
class PmixServer : public JobServer {
  public:
    static Result<std::unique_ptr<JobServer>> connect(const LaunchSources& sources);
    ~PmixServer() override;

    ServerLayout layout() const override { return m_layout; }
    Result<std::string> shareFromFirst(const std::string& text, LineDeadline deadline) override;
    void leave() override;
    void leaveAfterMpi() override { leave(); }  // PMIx ends only when it was finalized as often as it was initialized

  private:
    struct Library;

    explicit PmixServer(std::unique_ptr<Library> library);
    bool start();

    std::unique_ptr<Library> m_library;
    ServerLayout m_layout;
};

}  // namespace ringside
