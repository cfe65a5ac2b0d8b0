// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace ringside::cpu {

// Calls visit(i) for each i in [0, count) on up to `threads` threads. Include only in files compiled with OpenMP. If
// `threads` is 1, OpenMP is not used: even a parallel region of one thread takes as much time as a small layer, because
// OpenMP allocates a team of threads and makes a futex call.
template <class Visit>
void forEach(int threads, std::size_t count, const Visit& visit) {
    if (threads <= 1 || count <= 1) {
        for (std::size_t i = 0; i < count; ++i) visit(i);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t i = 0; i < count; ++i) visit(i);
}

// Calls visit(first, last) for parts of [0, count) on up to `threads` threads. The parts do not depend on the number of
// threads, so that the sum over each part does not depend on it either.
template <class Visit>
void forEachPart(int threads, std::size_t count, std::size_t perPart, const Visit& visit) {
    forEach(threads, (count + perPart - 1) / perPart,
            [&](std::size_t part) { visit(part * perPart, std::min(count, (part + 1) * perPart)); });
}

// Smallest number of values that is worth waking a thread: 64 KiB of floats.
inline constexpr std::size_t kValuesPerPart = 16384;

// Returns the number of rows with this many columns in a part of about kValuesPerPart values.
inline std::size_t rowsPerPart(std::size_t columns) {
    return std::max<std::size_t>(1, kValuesPerPart / std::max<std::size_t>(1, columns));
}

}  // namespace ringside::cpu
