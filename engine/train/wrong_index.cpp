// SPDX-License-Identifier: Apache-2.0
#include "train/wrong_index.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ringside {
namespace {

// Takes a whole number and, unless it is the last, the colon after it.
template <class T>
bool take(std::string_view& text, T& out, bool last) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc{} || out < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (last) return text.empty();
    if (!text.starts_with(':')) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

void WrongIndex::apply(std::int64_t ofEpoch, std::int64_t firstSlot, std::span<std::int64_t> indices) const {
    if (ofEpoch != epoch || slot < firstSlot) return;
    const auto place = static_cast<std::size_t>(slot - firstSlot);
    if (place < indices.size()) indices[place] = sample;
}

std::optional<WrongIndex> parseWrongIndex(const std::string& text) {
    WrongIndex wrong;
    std::string_view rest = text;
    const bool good = take(rest, wrong.rank, false) && take(rest, wrong.epoch, false) &&
                      take(rest, wrong.slot, false) && take(rest, wrong.sample, true);
    return good ? std::optional(wrong) : std::nullopt;
}

std::optional<WrongIndex> wrongIndexFromEnvironment(int rank) {
    const char* text = std::getenv(kWrongIndexVariable);
    const std::optional<WrongIndex> wrong = text == nullptr ? std::nullopt : parseWrongIndex(text);
    return wrong && wrong->rank == rank ? wrong : std::nullopt;
}

}  // namespace ringside
