// SPDX-License-Identifier: Apache-2.0
#include "parallel/reduce/row_squares.h"

#include <algorithm>

#include "backend/update_state.h"
#include "base/errors/errors.h"

namespace ringside {

RowSquares::RowSquares(const std::vector<Parameter*>& parameters) {
    std::size_t rows = 0;
    for (const Parameter* one : parameters) {
        const Place place{rows, static_cast<std::size_t>(one->shape.dimensions() > 0 ? one->shape[0] : 1)};
        m_places.push_back(place);
        m_placeOf.emplace(one->name, place);
        rows += place.count;
    }
    m_squares.resize(rows);
}

void RowSquares::clear() {
    std::ranges::fill(m_squares, 0);
}

std::span<double> RowSquares::rows(const std::string& parameter, std::int64_t first, std::int64_t count) {
    const Place& place = m_placeOf.at(parameter);
    const auto begin = static_cast<std::size_t>(first);
    RINGSIDE_ASSERT(begin + static_cast<std::size_t>(count) <= place.count);
    return std::span(m_squares).subspan(place.first + begin, static_cast<std::size_t>(count));
}

double RowSquares::total(Communicator& ranks) {
    if (ranks.size() > 1) ranks.allReduce(CommBuffer::of(std::span(m_squares)), ReduceOp::kSum);
    double sum = 0;
    for (const Place& place : m_places) {
        double tensor = 0;
        for (const double square : std::span(m_squares).subspan(place.first, place.count)) tensor += square;
        sum += squareOfNorm(tensor);
    }
    return sum;
}

}  // namespace ringside
