// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace ringside {

// Sizes of a tensor's dimensions, outermost first. Stored inline, without allocation.
class Shape {
  public:
    static constexpr int kMaxDimensions = 5;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> sizes);

    int dimensions() const { return m_dimensions; }
    std::int64_t operator[](int i) const { return m_sizes[static_cast<std::size_t>(i)]; }
    std::int64_t count() const;               // returns the number of values; 1 for a scalar
    std::int64_t countPerRow() const;         // returns the number of values per index of the first dimension
    Shape withRows(std::int64_t rows) const;  // returns a copy whose first dimension has the size `rows`
    std::span<const std::int64_t> sizes() const { return {m_sizes.data(), static_cast<std::size_t>(m_dimensions)}; }
    std::string text() const;  // returns, for example, "(128, 64)"

    bool operator==(const Shape&) const = default;

  private:
    std::array<std::int64_t, kMaxDimensions> m_sizes{};
    int m_dimensions = 0;
};

}  // namespace ringside
