// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/system/unique_fd.h"

namespace ringside {

// How the processes of one host that nobody but a launcher started come to share memory: the first of them hands its
// descriptor to the others over an abstract Unix socket of a random name. Other users' processes are turned away.
class SharedHandover {
  public:
    SharedHandover(const std::string& name, int host);  // listens; throws IoError

    // Until `count` others have it; throws CommError at the deadline.
    void serve(int sharedFd, int count, std::chrono::milliseconds deadline) const;

  private:
    UniqueFd m_listener;
};

// From the host's first rank; throws CommError at the deadline.
UniqueFd fetchShared(const std::string& name, int host, std::chrono::milliseconds deadline);

}  // namespace ringside
