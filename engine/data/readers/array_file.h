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
// Limit of the unpacked size of a gzip file. Lower than that of other files, because a small gzip file can claim to
// unpack to 4 GiB.
inline constexpr std::uint64_t kMaxPackedArrayBytes = std::uint64_t{1} << 30;

// Element type of an array file. Signed, unsigned and floating-point types with their size in bits.
enum class ElementType { kU8, kS8, kI16, kI32, kI64, kF32, kF64 };

// Returns the size of an element in bytes.
std::size_t elementSize(ElementType type);
std::string elementName(ElementType type);  // returns the name of the type, such as "uint8"

// Header of an IDX or NumPy file, already checked against the length of the file.
struct ArrayHeader {
    std::string format;  // file format: "IDX" or "NumPy"
    ElementType type = ElementType::kU8;
    std::endian order = std::endian::little;
    std::vector<std::int64_t> shape;  // shape in C order, outermost dimension first; empty for a single value

    std::uint64_t valueCount() const;  // returns the product of the shape; cannot overflow after checkArraySize()
    std::string shapeText() const;     // returns the shape as text, such as "60000 x 28 x 28"
};

// Values of an array: uint8 (pixels) stays uint8; all other types are converted to float32.
using ArrayValues = std::variant<std::vector<std::uint8_t>, std::vector<float>>;

// An open IDX file (yann.lecun.com/exdb/mnist) or NumPy .npy file of version 1 to 3: its header, and a source whose
// position is the first value. The format is detected by content. Files of both formats may be compressed with gzip.
struct ArrayFile {
    ByteSource source;
    ArrayHeader header;

    static Result<ArrayFile> open(const std::filesystem::path& path, const std::stop_token& stop = {});

    // readValues() and readIntegers() read all values of the array; only one of the two may be called, once. Problems:
    // data after the last value, a value that is not finite.
    Result<ArrayValues> readValues();
    Result<std::vector<std::int64_t>> readIntegers();  // reads all values; the element type must be an integer type
};

// Read the header of an IDX or NumPy file. The magic bytes must already have been read from `source`.
Result<ArrayHeader> readIdxHeader(ByteSource& source, std::uint8_t type, std::uint8_t dimensions);
Result<ArrayHeader> readNpyHeader(ByteSource& source, std::uint8_t majorVersion);

// Parses the text of a .npy header: "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }".
Result<ArrayHeader> parseNpyHeader(const std::string& text, const std::string& file);

// Checks that the array can be read. Problems: negative sizes, more values than the file can contain, or more values
// than the limits in this header allow.
Result<bool> checkArraySize(const ArrayHeader& header, const ByteSource& source);

}  // namespace ringside
