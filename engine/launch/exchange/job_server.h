// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/errors/result.h"
#include "launch/place/launch_place.h"
#include "launch/wire/line_socket.h"

namespace ringside {

// Connection of this process to its launcher's own server (PMI or PMIx), through which the ranks of a job exchange text
// before they can connect to each other. Not thread-safe.
class JobServer {
  public:
    virtual ~JobServer() = default;

    // Returns what the server knows about this process.
    virtual ServerPlace place() const = 0;

    // Publishes `text` if this process is rank 0, and returns rank 0's text on every rank. Blocks until all ranks of
    // the job have called it. `text` has at most 500 characters, without spaces, newlines and '='.
    virtual Result<std::string> shareFromFirst(const std::string& text, LineDeadline deadline) = 0;

    // Ends the connection in the way that the server expects of a process that exits normally. After it, the server
    // treats the process as a program that does not use MPI.
    virtual void leave() = 0;
};

// Connects to the server that the environment names. Returns null if the process has rank options, or a launcher whose
// variables are sufficient; a problem if the environment names a server that does not answer.
Result<std::unique_ptr<JobServer>> connectJobServer(const LaunchOptions& options, const LaunchSources& sources,
                                                    LineDeadline deadline);

// Completes a layout whose launcher does not name the job or rank 0's host: rank 0 shares a random job identifier and
// its own addresses. An address from --master (hasMaster) is kept. Collective over the job.
Result<bool> exchangeJob(JobServer& server, LaunchPlace& place, bool hasMaster, LineDeadline deadline);

}  // namespace ringside
