// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace ringside::cpu {

// visit(i) for i in [0, count), shared by the threads. Include only where OpenMP is on. A thread by itself stays out of
// OpenMP, where a region of one thread costs as much as a small layer: a team is allocated and a futex called.
template <class Visit>
void forEach(int threads, std::size_t count, const Visit& visit) {
    if (threads <= 1 || count <= 1) {
        for (std::size_t i = 0; i < count; ++i) visit(i);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t i = 0; i < count; ++i) visit(i);
}

// visit(first, last) for pieces of [0, count), shared by the threads. Pieces do not depend on how many threads there
// are, so that sums within one do not either.
template <class Visit>
void forEachPart(int threads, std::size_t count, std::size_t perPart, const Visit& visit) {
    forEach(threads, (count + perPart - 1) / perPart,
            [&](std::size_t part) { visit(part * perPart, std::min(count, (part + 1) * perPart)); });
}

// Values that are worth waking a thread for; 64 KiB of floats.
inline constexpr std::size_t kValuesPerPart = 16384;

// Rows of so many values.
inline std::size_t rowsPerPart(std::size_t columns) {
    return std::max<std::size_t>(1, kValuesPerPart / std::max<std::size_t>(1, columns));
}

}  // namespace ringside::cpu
