// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backend/cpu/support/host_memory.h"

namespace ringside {

// Memory in which each allocation lies between two inaccessible pages and ends as close to the second one as alignment
// allows. The rest of its pages is filled with a pattern that is NaN as float; damage() checks it.
class GuardedMemory final : public HostMemory {
  public:
    GuardedMemory() = default;
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;
    ~GuardedMemory() override;

    void* take(std::size_t bytes) override;
    void releaseMemory(void* memory) noexcept override;

    // Describes writes outside of the allocations, including released ones; empty if there were none.
    const std::optional<std::string>& damage();

  private:
    struct Piece {
        std::size_t bytes = 0;
        unsigned char* pages = nullptr;  // without the guards
        std::size_t pageBytes = 0;
    };
    void look(const unsigned char* memory, const Piece& piece);

    std::map<unsigned char*, Piece> m_pieces;
    std::optional<std::string> m_damage;
};

}  // namespace ringside
