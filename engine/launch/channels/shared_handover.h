// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/system/unique_fd.h"

namespace ringside {

// Transfer of the memory that the ranks of one computer (host) share to ranks that were started by a launcher and so
// inherit no descriptor. The first rank of the host sends its descriptor over an abstract Unix socket with a random
// name. Processes of other users are refused.
class SharedHandover {
  public:
    SharedHandover(const std::string& name, int host);  // starts listening; throws IoError

    // Blocks until `count` ranks have received the descriptor. Throws CommError at the deadline.
    void serve(int sharedFd, int count, std::chrono::milliseconds deadline) const;

  private:
    UniqueFd m_listener;
};

// Returns the shared memory received from the host's first rank. Throws CommError at the deadline.
UniqueFd fetchShared(const std::string& name, int host, std::chrono::milliseconds deadline);

}  // namespace ringside
