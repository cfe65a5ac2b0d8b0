// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside {

// What a rank's memory is for.
enum class MemoryClass : std::uint8_t {
    kParameters,
    kGradients,
    kOptimizer,
    kActivations,
    kGathered,
    kBuffers,
    kOther
};
inline constexpr std::size_t kMemoryClasses = 7;

// Bytes that the engine has taken for tensors, by what they are for. It gives none back before the rank ends, so that
// they are also the most there ever were.
class MemoryCount {
  public:
    // Throws DeviceError, which names the setting, when there would be more than that in all; 0: no limit.
    void setLimit(std::int64_t bytes) { m_limit = bytes; }
    void add(std::size_t bytes) { add(m_now, bytes); }
    void add(MemoryClass what, std::size_t bytes);
    std::int64_t of(MemoryClass what) const { return m_bytes[static_cast<std::size_t>(what)]; }
    std::int64_t all() const;

    // What is taken from now on is for; returns what it was before.
    MemoryClass enter(MemoryClass what);

  private:
    std::array<std::int64_t, kMemoryClasses> m_bytes{};
    std::int64_t m_limit = 0;
    MemoryClass m_now = MemoryClass::kOther;
};

class MemoryScope {
  public:
    MemoryScope(MemoryCount& count, MemoryClass what) : m_count(count), m_before(count.enter(what)) {}
    ~MemoryScope() { m_count.enter(m_before); }
    MemoryScope(const MemoryScope&) = delete;
    MemoryScope& operator=(const MemoryScope&) = delete;

  private:
    MemoryCount& m_count;
    MemoryClass m_before;
};

}  // namespace ringside
