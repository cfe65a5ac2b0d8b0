// SPDX-License-Identifier: Apache-2.0
#include "run/read/bits_basis.h"

#include <algorithm>
#include <map>

namespace ringside {
namespace {

// Returns the ranks that use each instruction set; the sets with the fewest ranks come first.
std::vector<std::pair<std::string, std::vector<std::size_t>>> ranksByIsa(const std::vector<std::string>& isa) {
    std::map<std::string, std::vector<std::size_t>> ranksOf;
    for (std::size_t rank = 0; rank < isa.size(); ++rank) ranksOf[isa[rank]].push_back(rank);
    std::vector<std::pair<std::string, std::vector<std::size_t>>> all(ranksOf.begin(), ranksOf.end());
    std::ranges::stable_sort(all, {}, [](const auto& one) { return one.second.size(); });
    return all;
}

std::string ranksText(const std::vector<std::size_t>& ranks) {
    const std::string first = "rank " + std::to_string(ranks.front());
    return ranks.size() == 1 ? first : first + " and " + std::to_string(ranks.size() - 1) + " more";
}

std::string valueText(const std::optional<std::string>& value) {
    return value ? *value : "none";
}

std::string isaText(const std::optional<std::vector<std::string>>& isa) {
    return isa ? instructionSetText(*isa) : "not known";
}

// True if all ranks of both runs compute with the same instruction set. The number of ranks does not matter.
bool haveOneIsa(const std::optional<std::vector<std::string>>& a, const std::optional<std::vector<std::string>>& b) {
    if (!a || !b) return false;
    const auto groupsOfA = ranksByIsa(*a);
    const auto groupsOfB = ranksByIsa(*b);
    return groupsOfA.size() == 1 && groupsOfB.size() == 1 && groupsOfA.front().first == groupsOfB.front().first;
}

}  // namespace

std::string instructionSetText(const std::vector<std::string>& isa) {
    const auto groups = ranksByIsa(isa);
    if (groups.size() == 1) return groups.front().first + (isa.size() == 1 ? "" : " on each rank");
    std::string text;
    for (const auto& [name, ranks] : groups) text += (text.empty() ? "" : "; ") + ranksText(ranks) + ": " + name;
    return text;
}

std::string instructionSetWarning(const std::vector<std::string>& isa) {
    if (ranksByIsa(isa).size() < 2) return {};
    return "The ranks compute with different instruction sets (" + instructionSetText(isa) +
           "): the last bits of losses and weights depend on it. Set ONEDNN_MAX_CPU_ISA to the same value in the "
           "environment of each rank";
}

std::vector<std::string> differencesOf(const BitsBasis& a, const BitsBasis& b) {
    std::vector<std::string> texts;
    if (a.transport != b.transport)
        texts.push_back("transport " + valueText(a.transport) + " and " + valueText(b.transport));
    if (a.layout != b.layout) texts.push_back("layout " + valueText(a.layout) + " and " + valueText(b.layout));
    if (a.isa != b.isa && !haveOneIsa(a.isa, b.isa))
        texts.push_back("instruction set " + isaText(a.isa) + " and " + isaText(b.isa));
    return texts;
}

std::string textOf(const BitsBasis& basis) {
    std::string text;
    if (basis.transport) text = "transport " + *basis.transport + ", ";
    if (basis.layout) text += "layout " + *basis.layout + ", ";
    return text + "instruction set " + isaText(basis.isa);
}

}  // namespace ringside
