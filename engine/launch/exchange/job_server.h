// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/errors/result.h"
#include "launch/layout/launch_layout.h"
#include "launch/wire/line_socket.h"

namespace ringside {

// Connection of this process to the server of its launcher (PMI or PMIx), through which the ranks of a job exchange
// text before they can connect to each other. Not thread-safe.
class JobServer {
  public:
    virtual ~JobServer() = default;

    // Returns the rank, world size, local rank and local size of this process, as far as the server knows them.
    virtual ServerLayout layout() const = 0;

    // Publishes `text` if this process is rank 0, and returns rank 0's text on every rank. Blocks until all ranks of
    // the job have called it. `text` has at most 500 characters, without spaces, newlines and '='.
    virtual Result<std::string> shareFromFirst(const std::string& text, LineDeadline deadline) = 0;

    // Ends the connection with the messages that the server expects from a process that exits normally. Afterwards the
    // server treats the process as a program that does not use MPI.
    virtual void leave() = 0;

    // Ends the connection of a process that used MPI and has called MPI_Finalize(). Does nothing if MPI uses the same
    // connection and has ended it.
    virtual void leaveAfterMpi() {}
};

// Connects to the server that serverNeededBy() returns. Returns null if no server is needed, because the options give
// the rank or the variables of the launcher are sufficient. Returns a problem if the server does not answer.
Result<std::unique_ptr<JobServer>> connectJobServer(const LaunchOptions& options, const LaunchSources& sources,
                                                    LineDeadline deadline);

// Completes a layout whose launcher provides no identifier of the job or no address of rank 0's host: rank 0 shares a
// random job identifier and its own addresses. An address from --master (hasMaster) is kept. Collective over the job.
Result<bool> exchangeJob(JobServer& server, LaunchLayout& layout, bool hasMaster, LineDeadline deadline);

}  // namespace ringside
