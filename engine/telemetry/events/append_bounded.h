// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ringside {

// Appends a value to a list. If the list already has the maximum length, discards the older half of the list first.
template <class T>
void appendBounded(std::vector<T>& list, const T& value, std::size_t most) {
    if (list.size() >= most) list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(most / 2));
    list.push_back(value);
}

}  // namespace ringside
