// SPDX-License-Identifier: Apache-2.0
#include "tensor/shape.h"

#include <algorithm>

#include "base/errors/errors.h"

namespace ringside {

Shape::Shape(std::initializer_list<std::int64_t> sizes) : m_dimensions(static_cast<int>(sizes.size())) {
    RINGSIDE_ASSERT(sizes.size() <= kMaxDimensions);
    RINGSIDE_ASSERT(std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size >= 0; }));
    std::copy(sizes.begin(), sizes.end(), m_sizes.begin());
}

std::int64_t Shape::count() const {
    std::int64_t product = 1;
    for (std::int64_t size : sizes()) product *= size;
    return product;
}

std::int64_t Shape::countPerRow() const {
    std::int64_t product = 1;
    for (std::int64_t size : sizes().subspan(m_dimensions > 0 ? 1 : 0)) product *= size;
    return product;
}

Shape Shape::withRows(std::int64_t rows) const {
    RINGSIDE_ASSERT(m_dimensions > 0 && rows >= 0);
    Shape result = *this;
    result.m_sizes[0] = rows;
    return result;
}

std::string Shape::text() const {
    std::string text = "(";
    for (int i = 0; i < m_dimensions; ++i) text += (i ? ", " : "") + std::to_string((*this)[i]);
    return text + ")";
}

}  // namespace ringside
