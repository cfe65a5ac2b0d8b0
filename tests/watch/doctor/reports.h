// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "watch/evidence/evidence.h"

namespace ringside::testing {

// Reports of the ranks of a script, as docs/watch-protocol.md defines them, written by hand.
class Reports {
  public:
    explicit Reports(int ranks) : m_ranks(ranks) {}

    // Adds facts of one rank. `facts` is a JSON object.
    Reports& fact(int rank, const std::string& about, const std::string& facts, std::int64_t timeUs = 0) {
        evidence.take(rank, ScriptFacts{rank, about, facts, timeUs});
        return *this;
    }
    // Adds facts of all ranks. Each "$R" in the text becomes the rank.
    Reports& facts(const std::string& about, const std::string& text) {
        for (int rank = 0; rank < m_ranks; ++rank) {
            std::string own = text;
            for (std::size_t at = own.find("$R"); at != std::string::npos; at = own.find("$R"))
                own.replace(at, 2, std::to_string(rank));
            fact(rank, about, own);
        }
        return *this;
    }
    Reports& trained(int rank, std::int64_t loader, std::int64_t epoch, std::int64_t step, std::int64_t slot,
                     std::vector<std::int64_t> index) {
        evidence.take(rank, ConsumedIndices{rank, epoch, step, slot, std::move(index), loader});
        return *this;
    }
    Reports& state(int rank, const std::string& state, std::int64_t pid = 0, std::int64_t timeUs = 0) {
        RankState one;
        one.rank = rank;
        one.state = state;
        one.pid = pid;
        one.timeUs = timeUs;
        evidence.take(rank, one);
        return *this;
    }
    Reports& checksums(int rank, std::int64_t step, std::vector<std::string> names, std::vector<std::int64_t> sums) {
        std::string hash;
        for (const std::int64_t one : sums) hash += std::to_string(one) + " ";
        evidence.take(rank, Replica{rank, step, hash, std::move(names), std::move(sums)});
        return *this;
    }

    Evidence evidence;

  private:
    int m_ranks;
};

}  // namespace ringside::testing
