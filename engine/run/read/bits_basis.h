// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringside {

// Conditions besides the experiment that determine the last bits of a run's losses and weights. Sums of floats depend
// on their order, and matrix products on the instruction set: two runs of one experiment end with the same bits if all
// members of their BitsBasis are equal.
struct BitsBasis {
    std::optional<std::string> transport{};         // transport of the collectives: "shm", "gloo", "hierarchical", ...;
                                                    // empty: it has no influence
    std::optional<std::string> layout{};            // strategy, mesh and which ranks share a host; empty: the layout
                                                    // has no influence
    std::optional<std::vector<std::string>> isa{};  // instruction set or GPU of each rank; empty: not known
    std::optional<std::string> warning{};           // text of instructionSetWarning(), if not empty

    bool operator==(const BitsBasis&) const = default;
};

// Returns a warning if the ranks compute with different instruction sets; empty if all have the same. isa: by rank.
std::string instructionSetWarning(const std::vector<std::string>& isa);

// Returns a text such as "avx512_core on each rank" or "rank 1: avx2; rank 0 and 2 more: avx512_core". isa: by rank,
// not empty.
std::string instructionSetText(const std::vector<std::string>& isa);

// Returns a phrase for each condition that differs between `a` and `b`, such as "transport shm and gloo"; empty if all
// members are equal.
std::vector<std::string> differencesOf(const BitsBasis& a, const BitsBasis& b);

// Returns the conditions as one line of text for users.
std::string textOf(const BitsBasis& basis);

}  // namespace ringside
