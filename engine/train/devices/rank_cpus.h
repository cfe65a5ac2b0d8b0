// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/processors/cpu_share.h"
#include "config/run_config.h"
#include "launch/channels/rank_channels.h"
#include "launch/layout/rank_environment.h"

namespace ringside {

// CPUs to which the threads of a rank are pinned.
//
// If several ranks of a host may use only a common subset of its CPUs (set by a scheduler, a cpuset or taskset), each
// rank is pinned to an equal share of the subset. If a launcher has already assigned different CPUs to each rank, the
// ranks keep them. If the ranks may use all CPUs of the host, they are not pinned: other processes also use these CPUs,
// and a pinned rank that has to wait for its CPU would delay all ranks.
class RankCpus {
  public:
    // Sends the CPUs that this rank may use to the other ranks. The references must outlive this object.
    RankCpus(const RankEnvironment& environment, const RunConfig& config, const RankChannels& channels,
             int cpusOfHost = onlineCpus());
    // Waits until the other ranks of this host have sent their CPUs, and computes this rank's share. Throws CommError.
    void computeShare();
    // Pins all threads of this process to this rank's share of the CPUs. Returns a line for the log; empty if no thread
    // is pinned.
    std::string pinThreads();
    const std::vector<int>& share() const { return m_share; }

  private:
    const RankEnvironment& m_environment;
    const RunConfig& m_config;
    const RankChannels& m_channels;
    std::vector<int> m_allowed;
    std::vector<int> m_share;
};

}  // namespace ringside
