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

// The pixels used last, up to so many bytes; any thread may ask.
class ImageCache {
  public:
    using Pixels = std::shared_ptr<const std::vector<std::uint8_t>>;

    explicit ImageCache(std::size_t mostBytes) : m_mostBytes(mostBytes) {}

    // The pixels of a sample, made when they are not at hand. Makes outside the lock, so that two threads that want
    // the same sample at once may both make it.
    Pixels find(std::int64_t index, const std::function<std::vector<std::uint8_t>()>& make);

    std::size_t bytes() const;

  private:
    struct Entry {
        std::int64_t index;
        Pixels pixels;
    };

    Pixels lookUp(std::int64_t index);
    void store(std::int64_t index, const Pixels& pixels);

    const std::size_t m_mostBytes;
    mutable std::mutex m_mutex;
    std::size_t m_bytes = 0;
    std::list<Entry> m_entries;  // used last in front
    std::unordered_map<std::int64_t, std::list<Entry>::iterator> m_places;
};

}  // namespace ringside
