// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>

#include "data/readers/array_file.h"

namespace ringside {
namespace {

constexpr std::uint8_t kMaxIdxDimensions = 8;

const std::map<std::uint8_t, ElementType>& idxTypes() {
    static const std::map<std::uint8_t, ElementType> types = {
        {0x08, ElementType::kU8},  {0x09, ElementType::kS8},  {0x0B, ElementType::kI16},
        {0x0C, ElementType::kI32}, {0x0D, ElementType::kF32}, {0x0E, ElementType::kF64},
    };
    return types;
}

}  // namespace

Result<ArrayHeader> readIdxHeader(ByteSource& source, std::uint8_t type, std::uint8_t dimensions) {
    const std::string file = source.path().string();
    const auto known = idxTypes().find(type);
    if (known == idxTypes().end()) {
        return Problem{file, "starts like an IDX file, but its value type (byte 2) is " + std::to_string(type),
                       "the types are 8, 9, 11, 12, 13 and 14: check that this is the right file"};
    }
    if (dimensions == 0 || dimensions > kMaxIdxDimensions) {
        return Problem{file,
                       "is an IDX file of " + std::to_string(dimensions) + " dimensions (byte 3); it must be 1 to 8",
                       "check that this is the right file"};
    }
    ArrayHeader header{"IDX", known->second, std::endian::big, {}};
    for (int i = 0; i < dimensions; ++i) {
        std::array<std::byte, 4> raw{};
        if (auto got = source.readAll(raw, "header"); !got) return got.problem();
        std::uint32_t size = 0;
        for (const std::byte byte : raw) size = size << 8 | std::to_integer<std::uint32_t>(byte);
        header.shape.push_back(size);
    }
    return header;
}

}  // namespace ringside
