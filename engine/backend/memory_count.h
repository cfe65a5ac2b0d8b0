// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside {

// Purposes of a rank's memory.
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

// Number of bytes that the engine has allocated for tensors, by purpose. The engine frees no tensor memory before the
// rank ends, so that each number is also the peak.
class MemoryCount {
  public:
    // Sets the limit of the total in bytes; 0: no limit. add() throws a DeviceError that names the setting
    // parallel.memory_limit_mb if the total would exceed the limit.
    void setLimit(std::int64_t bytes) { m_limit = bytes; }
    void add(std::size_t bytes) { add(m_now, bytes); }
    void add(MemoryClass what, std::size_t bytes);
    std::int64_t bytesOf(MemoryClass what) const { return m_bytes[static_cast<std::size_t>(what)]; }
    std::int64_t total() const;

    // Sets the purpose for which the following calls of add(bytes) count memory. Returns the previous purpose.
    MemoryClass enter(MemoryClass what);

  private:
    std::array<std::int64_t, kMemoryClasses> m_bytes{};
    std::int64_t m_limit = 0;
    MemoryClass m_now = MemoryClass::kOther;
};

// Guard that sets the purpose of memory while the guard exists, and then restores the previous purpose.
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
