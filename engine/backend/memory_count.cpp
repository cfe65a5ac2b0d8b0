// SPDX-License-Identifier: Apache-2.0
#include "backend/memory_count.h"

#include <numeric>
#include <string>
#include <utility>

#include "base/errors/errors.h"

namespace ringside {
namespace {

constexpr std::array<const char*, kMemoryClasses> kMemoryNames{
    "parameters", "gradients", "the optimizer's state", "activations", "gathered parameters and gradients",
    "buffers",    "other"};

// Formats a size in MiB, or in KiB below 1 MiB. Rounds up, so that a size just above a limit does not look equal to the
// limit.
std::string sizeText(std::int64_t bytes) {
    const int shift = bytes < (1 << 20) ? 10 : 20;
    const std::int64_t tenths = (bytes * 10 + (std::int64_t{1} << shift) - 1) >> shift;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + (shift == 10 ? " KiB" : " MiB");
}

}  // namespace

void MemoryCount::add(MemoryClass what, std::size_t bytes) {
    const std::int64_t wanted = total() + static_cast<std::int64_t>(bytes);
    if (m_limit > 0 && wanted > m_limit)
        throw DeviceError("parallel.memory_limit_mb allows this rank " + sizeText(m_limit) + ", but with " +
                          kMemoryNames[static_cast<std::size_t>(what)] + " it needs at least " + sizeText(wanted) +
                          ": spread the parameters with fsdp or pipeline over more ranks, lower loader.batch_size, or "
                          "raise the limit");
    m_bytes[static_cast<std::size_t>(what)] += static_cast<std::int64_t>(bytes);
}

std::int64_t MemoryCount::total() const {
    return std::accumulate(m_bytes.begin(), m_bytes.end(), std::int64_t{0});
}

MemoryClass MemoryCount::enter(MemoryClass what) {
    return std::exchange(m_now, what);
}

}  // namespace ringside
