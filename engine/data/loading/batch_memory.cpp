// SPDX-License-Identifier: Apache-2.0
#include "data/loading/batch_memory.h"

#include <new>
#include <vector>

namespace ringside {
namespace {

constexpr std::align_val_t kAlignment{64};

struct AlignedDelete {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
};

class HostMemory final : public BatchMemory {
  public:
    std::byte* allocate(std::size_t bytes) override {
        return m_blocks.emplace_back(static_cast<std::byte*>(::operator new(bytes, kAlignment))).get();
    }

  private:
    std::vector<std::unique_ptr<std::byte, AlignedDelete>> m_blocks;
};

}  // namespace

std::unique_ptr<BatchMemory> makeHostMemory() {
    return std::make_unique<HostMemory>();
}

}  // namespace ringside
