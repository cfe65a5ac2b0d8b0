// SPDX-License-Identifier: Apache-2.0
#include "data/sets/files/image_cache.h"

namespace ringside {

ImageCache::Pixels ImageCache::findOrDecode(std::int64_t index) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_entryOf.find(index);
    if (found == m_entryOf.end()) return nullptr;
    m_entries.splice(m_entries.begin(), m_entries, found->second);
    return found->second->pixels;
}

void ImageCache::store(std::int64_t index, const Pixels& pixels) {
    const std::lock_guard lock(m_mutex);
    if (pixels->size() > m_maxBytes || m_entryOf.contains(index)) return;
    m_entries.push_front({index, pixels});
    m_entryOf.emplace(index, m_entries.begin());
    m_bytes += pixels->size();
    while (m_bytes > m_maxBytes) {
        m_bytes -= m_entries.back().pixels->size();
        m_entryOf.erase(m_entries.back().index);
        m_entries.pop_back();
    }
}

ImageCache::Pixels ImageCache::find(std::int64_t index, const std::function<std::vector<std::uint8_t>()>& make) {
    if (Pixels known = findOrDecode(index)) return known;
    const Pixels made = std::make_shared<const std::vector<std::uint8_t>>(make());
    store(index, made);
    return made;
}

std::size_t ImageCache::bytes() const {
    const std::lock_guard lock(m_mutex);
    return m_bytes;
}

}  // namespace ringside
