// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "data/readers/byte_source.h"

namespace ringside {

inline constexpr std::uint64_t kMaxArrayBytes = std::uint64_t{4} << 30;
inline constexpr std::uint64_t kMaxPackedArrayBytes = std::uint64_t{1}
                                                      << 30;  // a small file may claim to unpack to all that

enum class ElementType { kU8, kS8, kI16, kI32, kI64, kF32, kF64 };

std::size_t elementSize(ElementType type);
std::string elementName(ElementType type);  // "uint8"

// What an IDX or NumPy file says about itself, already checked against the file's real length.
struct ArrayHeader {
    std::string format;  // "IDX", "NumPy"
    ElementType type = ElementType::kU8;
    std::endian order = std::endian::little;
    std::vector<std::int64_t> shape;  // outermost first, C order; empty: one value

    std::uint64_t valueCount() const;  // product of the shape; never overflows after checkArraySize
    std::string shapeText() const;     // "60000 x 28 x 28"
};

// Bytes stay bytes (pixels); everything else becomes float32.
using ArrayValues = std::variant<std::vector<std::uint8_t>, std::vector<float>>;

// A header and the source standing at the first value. IDX (yann.lecun.com/exdb/mnist) and NumPy's .npy versions 1 to
// 3, told apart by content; either may be packed with gzip.
struct ArrayFile {
    ByteSource source;
    ArrayHeader header;

    static Result<ArrayFile> open(const std::filesystem::path& path, const std::stop_token& stop = {});

    // Read the values: once, and one of the two. More bytes than announced are a problem, and so is a value that is
    // not finite.
    Result<ArrayValues> readValues();
    Result<std::vector<std::int64_t>> readIntegers();  // the type is an integer one
};

// Each reads what follows the format's magic bytes.
Result<ArrayHeader> readIdxHeader(ByteSource& source, std::uint8_t type, std::uint8_t dimensions);
Result<ArrayHeader> readNpyHeader(ByteSource& source, std::uint8_t majorVersion);

// Parses the text of a .npy header: "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }".
Result<ArrayHeader> parseNpyHeader(const std::string& text, const std::string& file);

// Problems: negative sizes, more values than the file can hold, or than the limits above.
Result<bool> checkArraySize(const ArrayHeader& header, const ByteSource& source);

}  // namespace ringside
