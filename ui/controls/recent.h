// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

namespace ringside {

// Cache of computed values by key. Keeps only the most recent entries.
template <class Key, class Value>
class Recent {
  public:
    explicit Recent(std::size_t most) : m_most(most) {}

    const Value* find(const Key& key) const {
        const auto known = std::ranges::find_if(m_entries, [&](const auto& entry) { return entry.first == key; });
        return known == m_entries.end() ? nullptr : &known->second;
    }
    void add(Key key, Value value) {
        m_entries.emplace_front(std::move(key), std::move(value));
        if (m_entries.size() > m_most) m_entries.pop_back();
    }

    void clear() { m_entries.clear(); }

  private:
    std::size_t m_most;
    std::deque<std::pair<Key, Value>> m_entries;  // stored entries, newest first
};

}  // namespace ringside
