// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace ringside::cpu {

// visit(first, last) for pieces of [0, count), shared by the threads. Pieces do not depend on how many threads there
// are, so that sums within one do not either. Include only where OpenMP is on.
template <class Visit>
void forEachPart(int threads, std::size_t count, std::size_t perPart, const Visit& visit) {
    const std::size_t parts = (count + perPart - 1) / perPart;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && parts > 1)
    for (std::size_t part = 0; part < parts; ++part) visit(part * perPart, std::min(count, (part + 1) * perPart));
}

// Values that are worth waking a thread for; 64 KiB of floats.
inline constexpr std::size_t kValuesPerPart = 16384;

// Rows of so many values.
inline std::size_t rowsPerPart(std::size_t columns) {
    return std::max<std::size_t>(1, kValuesPerPart / std::max<std::size_t>(1, columns));
}

}  // namespace ringside::cpu
