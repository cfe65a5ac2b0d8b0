// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"

namespace ringside::test {

// Two hosts made of network namespaces of this machine, joined by a cable of their own that carries when the
// constructor returns; they vanish with this object.
// Without delay the cable is a veth pair; with one, a process carries every packet over after its time on the way
// (kernels need not have netem for it).
class NetworkHosts {
  public:
    // Empty where this process may make them; else why not.
    static std::string whyNot();

    explicit NetworkHosts(std::chrono::microseconds oneWayDelay = {});  // throws std::runtime_error
    ~NetworkHosts();
    NetworkHosts(const NetworkHosts&) = delete;
    NetworkHosts& operator=(const NetworkHosts&) = delete;

    // Moves the calling thread to a host; what it has opened before stays.
    void enter(int host) const;
    // Returns the beginning of a command line that runs on this host.
    std::string prefix(int host) const;
    static std::string address(int host) { return "10.77.0." + std::to_string(host + 1); }
    static constexpr const char* kInterface = "cable0";

    // Pulls the plug: nothing goes over any more.
    void unplug() const;
    void plug() const;

  private:
    void waitUntilItCarries() const;
    std::string namespaceOf(int host) const;
    pid_t fork(const std::string& what);

    std::vector<pid_t> m_keepers;  // a process that stays in each
    pid_t m_carrier = -1;
};

}  // namespace ringside::test
