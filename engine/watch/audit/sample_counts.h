// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ringside {

// Array of small numbers, one for each sample, in pages that are allocated when they are first written. Samples are
// numbered from 0 to 2^31.
template <class Cell>
class SamplePages {
  public:
    static constexpr std::size_t kPage = 4096;            // number of samples per page
    static constexpr std::size_t kMaxBytes = 256U << 20;  // limit of the size of all pages of one array, in bytes

    // Returns the value of a sample for writing. Returns null if the sample is out of range or the pages would exceed
    // kMaxBytes.
    Cell* write(std::int64_t sample) {
        if (sample < 0 || sample > (std::int64_t{1} << 31)) return nullptr;
        const auto number = static_cast<std::size_t>(sample) / kPage;
        if (number >= m_pages.size()) m_pages.resize(number + 1);
        if (!m_pages[number]) {
            if ((m_used + 1) * sizeof(Page) > kMaxBytes) return nullptr;
            m_pages[number] = std::make_unique<Page>();
            ++m_used;
        }
        return &(*m_pages[number])[static_cast<std::size_t>(sample) % kPage];
    }
    // Returns the value of a sample; the default value if it was never written.
    Cell read(std::int64_t sample) const {
        const auto number = static_cast<std::size_t>(sample) / kPage;
        if (sample < 0 || number >= m_pages.size() || !m_pages[number]) return {};
        return (*m_pages[number])[static_cast<std::size_t>(sample) % kPage];
    }
    // Calls found(sample, value) for each sample whose value is not the default one, in ascending order.
    template <class Found>
    void forEach(const Found& found) const {
        for (std::size_t number = 0; number < m_pages.size(); ++number) {
            if (!m_pages[number]) continue;
            for (std::size_t i = 0; i < kPage; ++i) {
                if ((*m_pages[number])[i] != Cell{})
                    found(static_cast<std::int64_t>(number * kPage + i), (*m_pages[number])[i]);
            }
        }
    }

  private:
    using Page = std::array<Cell, kPage>;
    std::vector<std::unique_ptr<Page>> m_pages;
    std::size_t m_used = 0;
};

// Set of samples. Memory: 1 byte for each sample in an allocated page.
class SampleSet {
  public:
    void insert(std::int64_t sample);
    bool contains(std::int64_t sample) const { return m_cells.read(sample) != 0; }
    std::int64_t size() const { return m_size; }
    bool isExact() const { return m_exact; }  // returns false if some samples did not fit into memory
    // Returns the number of samples that are in both sets.
    std::int64_t countCommon(const SampleSet& other) const;
    template <class Found>
    void forEach(const Found& found) const {
        m_cells.forEach([&](std::int64_t sample, std::uint8_t) { found(sample); });
    }

  private:
    SamplePages<std::uint8_t> m_cells;
    std::int64_t m_size = 0;
    bool m_exact = true;
};

// Number of times that each sample was drawn in one epoch, and the rank that drew it first. Memory: 2 bytes for each
// sample in an allocated page.
class SampleCounts {
  public:
    // Counts a draw. The number of the sample is from 0 to 2^31, the rank is below 4096.
    void add(std::int64_t sample, int rank);

    std::int64_t assigned() const { return m_assigned; }  // returns the number of draws
    std::int64_t distinct() const { return m_distinct; }  // returns the number of samples drawn at least once
    std::int64_t repeated() const { return m_repeated; }  // returns the number of draws beyond the first of each sample
    // Returns the number of draws of samples that another rank drew earlier.
    std::int64_t shared() const { return m_shared; }
    bool isExact() const { return m_exact; }  // returns false if some samples did not fit into memory
    // Calls found(sample) for each drawn sample, in ascending order.
    template <class Found>
    void forEach(const Found& found) const {
        m_cells.forEach([&](std::int64_t sample, std::uint16_t) { found(sample); });
    }

  private:
    SamplePages<std::uint16_t> m_cells;  // rank + 1 of the first draw of each sample; 0: not drawn
    std::int64_t m_assigned = 0, m_distinct = 0, m_repeated = 0, m_shared = 0;
    bool m_exact = true;
};

}  // namespace ringside
