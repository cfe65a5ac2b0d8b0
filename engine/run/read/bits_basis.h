// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringside {

// What the last bits of a run's losses and weights depend on besides its experiment. Sums of floats depend on their
// order, and matrix products on the instruction set: two runs of one experiment end with the same bits where all of
// these are the same.
struct BitsBasis {
    std::optional<std::string> transport{};         // "shm", "gloo", "hierarchical", ...; none: no influence
    std::optional<std::string> layout{};            // strategy, mesh and which ranks share a host; none: no influence
    std::optional<std::vector<std::string>> isa{};  // instruction set, or GPU, by rank; none: not known
    std::optional<std::string> warning{};           // of instructionSetWarning()

    bool operator==(const BitsBasis&) const = default;
};

// Warning that some ranks compute with another instruction set than the others; empty where all have the same.
std::string instructionSetWarning(const std::vector<std::string>& isa);

// "avx512_core on each rank", "rank 1: avx2; rank 0 and 2 more: avx512_core".
std::string instructionSetText(const std::vector<std::string>& isa);

// A phrase for each entry that differs, such as "transport shm and gloo"; empty where both are the same.
std::vector<std::string> differencesOf(const BitsBasis& a, const BitsBasis& b);

// One line for people.
std::string textOf(const BitsBasis& basis);

}  // namespace ringside
