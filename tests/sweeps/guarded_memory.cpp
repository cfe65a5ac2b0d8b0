// SPDX-License-Identifier: Apache-2.0
#include "sweeps/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace ringside {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr unsigned char kUntouched = 0xff;  // pattern of unused memory; four such bytes are a NaN

std::size_t roundedUp(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

std::size_t pageSize() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

}  // namespace

GuardedMemory::~GuardedMemory() {
    while (!m_pieces.empty()) releaseMemory(m_pieces.begin()->first);
}

void* GuardedMemory::take(std::size_t bytes) {
    Piece piece;
    piece.bytes = bytes;
    const std::size_t aligned = roundedUp(std::max<std::size_t>(1, bytes), kAlignment);
    piece.pageBytes = roundedUp(aligned, pageSize());
    void* all = mmap(nullptr, piece.pageBytes + 2 * pageSize(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    piece.pages = static_cast<unsigned char*>(all) + pageSize();
    if (mprotect(piece.pages, piece.pageBytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
    std::memset(piece.pages, kUntouched, piece.pageBytes);
    unsigned char* memory = piece.pages + piece.pageBytes - aligned;
    m_pieces.emplace(memory, piece);
    return memory;
}

void GuardedMemory::look(const unsigned char* memory, const Piece& piece) {
    const auto touched = [](unsigned char value) { return value != kUntouched; };
    const unsigned char* end = piece.pages + piece.pageBytes;
    const unsigned char* before = std::find_if(static_cast<const unsigned char*>(piece.pages), memory, touched);
    const unsigned char* behind = std::find_if(memory + piece.bytes, end, touched);
    if (before == memory && behind == end) return;
    const auto offset = (before != memory ? before : behind) - memory;
    m_damage = "byte " + std::to_string(offset) + " of a piece of " + std::to_string(piece.bytes) + " was written";
}

void GuardedMemory::releaseMemory(void* memory) noexcept {
    const auto found = m_pieces.find(static_cast<unsigned char*>(memory));
    if (found == m_pieces.end()) return;
    look(found->first, found->second);
    munmap(found->second.pages - pageSize(), found->second.pageBytes + 2 * pageSize());
    m_pieces.erase(found);
}

const std::optional<std::string>& GuardedMemory::damage() {
    for (const auto& [memory, piece] : m_pieces) look(memory, piece);
    return m_damage;
}

}  // namespace ringside
