// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"

namespace ringside::test {

// Two hosts, made of network namespaces of this machine and joined by a separate network, which works when the
// constructor returns. The destructor removes them. Without delay, the network is a veth pair; with a delay, a process
// forwards each packet after that time, because not all kernels have netem.
class NetworkHosts {
  public:
    // Returns why this process may not create network hosts; empty if it may.
    static std::string whyNot();

    explicit NetworkHosts(std::chrono::microseconds oneWayDelay = {});  // throws std::runtime_error
    ~NetworkHosts();
    NetworkHosts(const NetworkHosts&) = delete;
    NetworkHosts& operator=(const NetworkHosts&) = delete;

    // Moves the calling thread to a host. Sockets that it has opened before stay in their namespace.
    void enter(int host) const;
    // Returns the beginning of a command line that runs on this host.
    std::string prefix(int host) const;
    static std::string address(int host) { return "10.77.0." + std::to_string(host + 1); }
    static constexpr const char* kInterface = "cable0";

    // Disconnects the network: no packet passes any more.
    void unplug() const;
    void plug() const;

  private:
    void waitUntilItCarries() const;
    std::string namespaceOf(int host) const;
    pid_t fork(const std::string& what);

    std::vector<pid_t> m_keepers;  // one process in each namespace, which keeps it alive
    pid_t m_carrier = -1;
};

}  // namespace ringside::test
