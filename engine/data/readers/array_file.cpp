// SPDX-License-Identifier: Apache-2.0
#include "data/readers/array_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace ringside {
namespace {

constexpr std::size_t kChunkValues = std::size_t{1} << 13;

template <class T>
T valueAt(const std::byte* bytes, std::endian order) {
    std::array<std::byte, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes, sizeof(T));
    if (order != std::endian::native) std::ranges::reverse(raw);
    return std::bit_cast<T>(raw);
}

// Calls visit(index, value) for each value, converted to T, until it returns false. Returns the index at which visit
// stopped, or the number of values.
template <class T, class Visit>
Result<std::uint64_t> forEachValue(ArrayFile& file, Visit visit) {
    const std::uint64_t count = file.header.valueCount();
    std::vector<std::byte> chunk(kChunkValues * sizeof(T));
    for (std::uint64_t done = 0; done < count;) {
        const std::size_t now = static_cast<std::size_t>(std::min<std::uint64_t>(count - done, kChunkValues));
        auto got = file.source.readAll(std::span(chunk).first(now * sizeof(T)), file.header.shapeText() + " values");
        if (!got) return got.problem();
        for (std::size_t i = 0; i < now; ++i) {
            if (!visit(done + i, valueAt<T>(chunk.data() + i * sizeof(T), file.header.order))) return done + i;
        }
        done += now;
    }
    return count;
}

template <class Call>
auto withElementType(ElementType type, Call call) {
    switch (type) {
        case ElementType::kU8:
            return call(std::uint8_t{});
        case ElementType::kS8:
            return call(std::int8_t{});
        case ElementType::kI16:
            return call(std::int16_t{});
        case ElementType::kI32:
            return call(std::int32_t{});
        case ElementType::kI64:
            return call(std::int64_t{});
        case ElementType::kF32:
            return call(float{});
        case ElementType::kF64:
            break;
    }
    return call(double{});
}

Result<bool> checkEnd(ByteSource& source) {
    std::byte extra;
    auto got = source.read({&extra, 1});
    if (!got) return got.problem();
    if (got.value() == 0) return true;
    return Problem{source.path().string(),
                   "continues after the " + std::to_string(source.position() - 1) + " bytes that its header specifies",
                   "the header does not match the data: download the file again"};
}

Result<std::vector<std::uint8_t>> readBytes(ArrayFile& file) {
    std::vector<std::uint8_t> values(file.header.valueCount());
    auto got = file.source.readAll(std::as_writable_bytes(std::span(values)), file.header.shapeText() + " values");
    if (!got) return got.problem();
    return values;
}

Result<std::vector<float>> readFloats(ArrayFile& file) {
    std::vector<float> values(file.header.valueCount());
    auto stopped = withElementType(file.header.type, [&](auto zero) {
        return forEachValue<decltype(zero)>(file, [&](std::uint64_t index, auto value) {
            values[index] = static_cast<float>(value);
            return std::isfinite(values[index]);
        });
    });
    if (!stopped) return stopped.problem();
    if (stopped.value() < values.size()) {
        const std::uint64_t first = file.header.shape.empty() ? 1 : static_cast<std::uint64_t>(file.header.shape[0]);
        return Problem{file.source.path().string(),
                       "holds " + std::to_string(values[stopped.value()]) + " in sample " +
                           std::to_string(stopped.value() / (values.size() / first)) + "; every value must be finite",
                       "replace such values before saving"};
    }
    return values;
}

Problem unknownFormat(const std::filesystem::path& path) {
    return {
        path.string(), "is neither an IDX nor a NumPy .npy file (its first bytes do not match)",
        "check that this is the right file; save the arrays of an .npz archive with numpy.save, one array per file"};
}

}  // namespace

std::size_t elementSize(ElementType type) {
    return withElementType(type, [](auto zero) { return sizeof zero; });
}

std::string elementName(ElementType type) {
    constexpr std::array names = {"uint8", "int8", "int16", "int32", "int64", "float32", "float64"};
    return names[static_cast<std::size_t>(type)];
}

std::uint64_t ArrayHeader::valueCount() const {
    std::uint64_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::uint64_t>(size);
    return count;
}

std::string ArrayHeader::shapeText() const {
    std::string text;
    for (const std::int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
    return text.empty() ? "1" : text;
}

Result<bool> checkArraySize(const ArrayHeader& header, const ByteSource& source) {
    const std::string file = source.path().string();
    const std::uint64_t memoryPerValue = header.type == ElementType::kU8 ? 1 : sizeof(float);
    const std::uint64_t most = (source.packed() ? kMaxPackedArrayBytes : kMaxArrayBytes) / memoryPerValue;
    std::uint64_t count = 1;
    const bool empty = std::ranges::find(header.shape, 0) != header.shape.end();
    for (const std::int64_t size : header.shape) {
        if (size < 0)
            return Problem{file, "specifies a negative size (" + header.shapeText() + ")", "download it again"};
        // The product of the sizes is at most `most`, so it cannot overflow.
        if (!empty && static_cast<std::uint64_t>(size) > most / count) {
            return Problem{file,
                           "specifies " + header.shapeText() + " values of " + elementName(header.type) +
                               "; the maximum is " + std::to_string(most) + (source.packed() ? " in a gzip file" : ""),
                           source.packed() ? "unpack it (gunzip) and use the unpacked file, if it is not damaged"
                                           : "the file is damaged, or the set must be split"};
        }
        count *= static_cast<std::uint64_t>(size);
    }
    if (count * elementSize(header.type) <= source.maxBytesLeft()) return true;
    return Problem{file,
                   "specifies " + header.shapeText() + " values of " + elementName(header.type) + ", " +
                       std::to_string(count * elementSize(header.type)) + " bytes, but at most " +
                       std::to_string(source.maxBytesLeft()) + " follow its header",
                   "the file is truncated: download it again"};
}

Result<ArrayFile> ArrayFile::open(const std::filesystem::path& path, const std::stop_token& stop) {
    auto source = ByteSource::open(path, stop);
    if (!source) return source.problem();
    ArrayFile file{std::move(source).value(), {}};
    std::array<std::byte, 4> magic{};
    auto got = file.source.readAll(magic, "format's mark");
    if (!got) return got.problem();
    Result<ArrayHeader> header = unknownFormat(path);
    if (magic[0] == std::byte{0} && magic[1] == std::byte{0}) {
        header = readIdxHeader(file.source, std::to_integer<std::uint8_t>(magic[2]),
                               std::to_integer<std::uint8_t>(magic[3]));
    } else if (std::memcmp(magic.data(), "\x93NUM", 4) == 0) {
        std::array<std::byte, 4> rest{};  // the last two letters of "NUMPY" and the two bytes of the version
        if (got = file.source.readAll(rest, "format's mark"); !got) return got.problem();
        if (std::memcmp(rest.data(), "PY", 2) == 0) {
            header = readNpyHeader(file.source, std::to_integer<std::uint8_t>(rest[2]));
        }
    }
    if (!header) return header.problem();
    if (auto fits = checkArraySize(header.value(), file.source); !fits) return fits.problem();
    file.header = std::move(header).value();
    return file;
}

Result<ArrayValues> ArrayFile::readValues() {
    Result<ArrayValues> values = ArrayValues{};
    if (header.type == ElementType::kU8) {
        auto bytes = readBytes(*this);
        if (!bytes) return bytes.problem();
        values = ArrayValues{std::move(bytes).value()};
    } else {
        auto floats = readFloats(*this);
        if (!floats) return floats.problem();
        values = ArrayValues{std::move(floats).value()};
    }
    if (auto end = checkEnd(source); !end) return end.problem();
    return values;
}

Result<std::vector<std::int64_t>> ArrayFile::readIntegers() {
    RINGSIDE_ASSERT(header.type != ElementType::kF32 && header.type != ElementType::kF64);
    std::vector<std::int64_t> values(header.valueCount());
    auto done = withElementType(header.type, [&](auto zero) {
        return forEachValue<decltype(zero)>(*this, [&](std::uint64_t index, auto value) {
            values[index] = static_cast<std::int64_t>(value);  // NOLINT(bugprone-signed-char-misuse): int8 is a number
            return true;
        });
    });
    if (!done) return done.problem();
    if (auto end = checkEnd(source); !end) return end.problem();
    return values;
}

}  // namespace ringside
