// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/processors/cpu_share.h"
#include "config/run_config.h"
#include "launch/channels/rank_channels.h"
#include "launch/place/rank_environment.h"

namespace ringside {

// Which CPUs a rank of several on a host keeps its threads on: its share of those that were set aside for these ranks
// together, by a scheduler, a cpuset or taskset. Ranks whose launcher gave each CPUs of its own keep those. Where ranks
// have all of a host, others use its CPUs too: there a rank that could not move would keep all waiting for it.
class RankCpus {
  public:
    // Tells the other ranks which CPUs this one may use.
    RankCpus(const RankEnvironment& environment, const RunConfig& config, const RankChannels& channels,
             int cpusOfHost = onlineCpus());
    // Waits for what the other ranks of this host told. Throws CommError.
    void findShare();
    // From now on; a line for the log, empty where nothing is kept.
    std::string keep();
    const std::vector<int>& share() const { return m_share; }

  private:
    const RankEnvironment& m_environment;
    const RunConfig& m_config;
    const RankChannels& m_channels;
    std::vector<int> m_allowed;
    std::vector<int> m_share;
};

}  // namespace ringside
