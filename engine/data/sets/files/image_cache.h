// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace ringside {

// Least-recently-used cache of decoded images, limited in bytes. Thread-safe.
class ImageCache {
  public:
    using Pixels = std::shared_ptr<const std::vector<std::uint8_t>>;

    explicit ImageCache(std::size_t maxBytes) : m_maxBytes(maxBytes) {}

    // Returns the pixels of a sample; calls `make` if they are not cached. `make` runs without the lock, so two threads
    // that need the same sample may both call it.
    Pixels find(std::int64_t index, const std::function<std::vector<std::uint8_t>()>& make);

    std::size_t bytes() const;

  private:
    struct Entry {
        std::int64_t index;
        Pixels pixels;
    };

    Pixels findOrDecode(std::int64_t index);
    void store(std::int64_t index, const Pixels& pixels);

    const std::size_t m_maxBytes;
    mutable std::mutex m_mutex;
    std::size_t m_bytes = 0;
    std::list<Entry> m_entries;  // cached images, most recently used first
    std::unordered_map<std::int64_t, std::list<Entry>::iterator> m_entryOf;
};

}  // namespace ringside
