// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/support/host_memory.h"

#include <algorithm>
#include <cstdlib>

namespace ringside {

namespace {

constexpr std::size_t kAlignment = 64;

class Heap final : public HostMemory {
  public:
    void* take(std::size_t bytes) override {
        const std::size_t whole = std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
        return std::aligned_alloc(kAlignment, whole);
    }
    void releaseMemory(void* memory) noexcept override { std::free(memory); }
};

}  // namespace

HostMemory& plainHostMemory() {
    static Heap heap;
    return heap;
}

}  // namespace ringside
