// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringside {

// An enumeration with one table of names, in the order of its enumerators: `constexpr std::array<std::string_view, N>
// namesOf(E)`. Files, command lines and messages use these names; code compares enumerators.
template <class T>
concept NamedChoice = requires(T value) {
    namesOf(value);
};

// Table of names of a choice, with static lifetime.
template <NamedChoice T>
inline constexpr auto kNamesOf = namesOf(T{});

// Returns the name of a choice in files.
template <NamedChoice T>
constexpr std::string_view nameOf(T value) {
    return kNamesOf<T>[static_cast<std::size_t>(value)];
}

// Returns the name as a std::string, for messages.
template <NamedChoice T>
std::string textOf(T value) {
    return std::string(nameOf(value));
}

// Returns the choice with this name, or nothing.
template <NamedChoice T>
constexpr std::optional<T> choiceNamed(std::string_view name) {
    const auto found = std::ranges::find(kNamesOf<T>, name);
    if (found == kNamesOf<T>.end()) return std::nullopt;
    return static_cast<T>(found - kNamesOf<T>.begin());
}

}  // namespace ringside
