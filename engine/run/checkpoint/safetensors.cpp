// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint/safetensors.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/crypto/sha256.h"
#include "base/json/json.h"
#include "base/system/files.h"

namespace ringside {

static_assert(std::endian::native == std::endian::little, "the file's values and length are little-endian");

namespace {

// Format: u64 length of the JSON header, the header padded with spaces to 8 bytes, then the values without gaps.
constexpr std::size_t kLengthBytes = 8;
constexpr int kMaxHeaderDepth = 3;
constexpr std::size_t kMaxHeaderValues = SafetensorsFile::kMaxTensors * 16;
constexpr std::size_t kMaxDimensions = 64;
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;
constexpr std::size_t kMaxShownName = 80;

using Entry = SafetensorsFile::Entry;

std::size_t typeSize(std::string_view type) {
    struct Type {
        std::string_view name;
        std::size_t size;
    };
    constexpr std::array<Type, 15> kTypes = {{{"F64", 8},
                                              {"I64", 8},
                                              {"U64", 8},
                                              {"F32", 4},
                                              {"I32", 4},
                                              {"U32", 4},
                                              {"F16", 2},
                                              {"BF16", 2},
                                              {"I16", 2},
                                              {"U16", 2},
                                              {"F8_E4M3", 1},
                                              {"F8_E5M2", 1},
                                              {"I8", 1},
                                              {"U8", 1},
                                              {"BOOL", 1}}};
    const auto* const found = std::ranges::find(kTypes, type, &Type::name);
    return found == kTypes.end() ? 0 : found->size;
}

std::string shown(const std::string& name) {
    return Json(name.substr(0, kMaxShownName)).dump(-1, ' ', true, Json::error_handler_t::replace);
}

Problem brokenWeights(const std::string& file, const std::string& what) {
    return {file, what, "choose another checkpoint, or save it again"};
}

std::optional<std::uint64_t> natural(const Json& value) {
    if (!value.is_number_unsigned()) return {};
    return value.get<std::uint64_t>();
}

// Reads the type, shape and offsets of one entry of the header; empty if they are invalid.
std::optional<Entry> readEntry(const Json& json, std::size_t dataBytes) {
    if (!json.is_object()) return {};
    const auto type = json.find("dtype");
    const auto shape = json.find("shape");
    const auto offsets = json.find("data_offsets");
    if (type == json.end() || !type->is_string() || shape == json.end() || !shape->is_array() ||
        offsets == json.end() || !offsets->is_array() || offsets->size() != 2 || shape->size() > kMaxDimensions) {
        return {};
    }
    Entry entry{.type = type->get<std::string>()};
    std::uint64_t bytes = typeSize(entry.type);
    if (bytes == 0) return {};
    for (const Json& length : *shape) {
        const auto size = natural(length);
        if (!size || *size > INT64_MAX || (*size != 0 && bytes > dataBytes / *size)) return {};
        bytes *= *size;
        entry.shape.push_back(static_cast<std::int64_t>(*size));
    }
    const auto begin = natural((*offsets)[0]);
    const auto end = natural((*offsets)[1]);
    if (!begin || !end || *begin > *end || *end > dataBytes || *end - *begin != bytes) return {};
    entry.begin = *begin;
    entry.size = bytes;
    return entry;
}

// True if each byte after the header belongs to exactly one tensor.
bool coversAll(const std::map<std::string, Entry>& entries, std::size_t dataBytes) {
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    for (const auto& [name, entry] : entries) ranges.emplace_back(entry.begin, entry.begin + entry.size);
    std::ranges::sort(ranges);
    std::size_t covered = 0;
    for (const auto& [begin, end] : ranges) {
        if (begin != covered) return false;
        covered = end;
    }
    return covered == dataBytes;
}

}  // namespace

std::size_t TensorOutline::bytes() const {
    std::size_t bytes = typeSize(type);
    for (const std::int64_t size : shape) bytes *= static_cast<std::size_t>(size);
    return bytes;
}

SafetensorsLayout layOut(std::vector<TensorOutline> tensors, const std::map<std::string, std::string>& metadata) {
    // Tensors with larger elements come first, so that the values of each tensor are aligned to the size of its
    // elements.
    std::ranges::sort(tensors, [](const TensorOutline& a, const TensorOutline& b) {
        const std::size_t sizeA = typeSize(a.type);
        const std::size_t sizeB = typeSize(b.type);
        return sizeA != sizeB ? sizeA > sizeB : a.name < b.name;
    });
    Json header = Json::object();
    for (const auto& [key, value] : metadata) header["__metadata__"][key] = value;
    SafetensorsLayout layout;
    for (const TensorOutline& tensor : tensors) {
        const std::size_t end = layout.size + tensor.bytes();
        header[tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {layout.size, end}}};
        layout.entries[tensor.name] = {tensor.type, tensor.shape, layout.size, tensor.bytes()};
        layout.size = end;
    }
    std::string text = header.dump();
    text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
    const std::uint64_t length = text.size();
    layout.head.assign(reinterpret_cast<const char*>(&length), sizeof length);
    layout.head += text;
    for (auto& [name, entry] : layout.entries) entry.begin += layout.head.size();
    layout.size += layout.head.size();
    return layout;
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
    Result<UniqueFd> fd = openFile(path);
    if (!fd) return fd.problem();
    SafetensorsFile file;
    file.m_name = path.string();
    file.m_file = std::move(fd).value();
    struct stat info {};
    if (::fstat(file.m_file.get(), &info) != 0) {
        return Problem{path.string(), "cannot be read (" + errnoText(errno) + ")", "check the file"};
    }
    file.m_size = static_cast<std::size_t>(info.st_size);
    return read(std::move(file));
}

Result<SafetensorsFile> SafetensorsFile::parse(std::string content, const std::string& file) {
    SafetensorsFile result;
    result.m_name = file;
    result.m_size = content.size();
    result.m_content = std::move(content);
    return read(std::move(result));
}

Result<SafetensorsFile> SafetensorsFile::read(SafetensorsFile file) {
    if (file.m_size < kLengthBytes) {
        return brokenWeights(file.m_name,
                             "has " + std::to_string(file.m_size) + " bytes, too few for a safetensors file");
    }
    std::array<char, kLengthBytes> start{};
    file.readAt(0, start);
    const auto length = std::bit_cast<std::uint64_t>(start);
    const std::size_t rest = file.m_size - kLengthBytes;
    if (length > rest) {
        return brokenWeights(file.m_name, "specifies a header of " + std::to_string(length) + " bytes, but only " +
                                              std::to_string(rest) +
                                              " follow: it is truncated, or not a safetensors file");
    }
    if (length > kMaxHeaderBytes) {
        return brokenWeights(file.m_name, "has a header of " + std::to_string(length) + " bytes; the maximum is " +
                                              std::to_string(kMaxHeaderBytes));
    }
    std::string header(length, '\0');
    file.readAt(kLengthBytes, header);
    if (auto problem = file.readHeader(header, rest - length)) return *std::move(problem);
    for (auto& [name, entry] : file.m_entries) entry.begin += kLengthBytes + length;
    return file;
}

std::optional<Problem> SafetensorsFile::readHeader(std::string_view header, std::size_t dataBytes) {
    const Result<Json> json = parseJson(header, {}, kMaxHeaderBytes, kMaxHeaderDepth, kMaxHeaderValues);
    if (!json)
        return brokenWeights(m_name, "has a header that is not a JSON object (it " + json.problem().message + ")");
    if (!json.value().is_object()) return brokenWeights(m_name, "has a header that is not a JSON object");
    if (json.value().size() > kMaxTensors) {
        return brokenWeights(m_name, "has " + std::to_string(json.value().size()) + " tensors; the maximum is " +
                                         std::to_string(kMaxTensors));
    }
    for (const auto& [name, value] : json.value().items()) {
        if (name == "__metadata__") continue;
        const std::optional<Entry> entry = readEntry(value, dataBytes);
        if (!entry) {
            return brokenWeights(m_name,
                                 "has a tensor " + shown(name) + " whose type, shape and offset do not fit into its " +
                                     std::to_string(dataBytes) + " bytes of values: it is truncated or damaged");
        }
        m_entries.emplace(name, *entry);
    }
    if (!coversAll(m_entries, dataBytes)) {
        return brokenWeights(m_name, "has values that belong to no tensor or to two tensors: it is damaged");
    }
    return {};
}

const SafetensorsFile::Entry* SafetensorsFile::find(const std::string& name) const {
    const auto found = m_entries.find(name);
    return found == m_entries.end() ? nullptr : &found->second;
}

std::string SafetensorsFile::bytes(const Entry& entry) const {
    std::string values(entry.size, '\0');
    readAt(entry.begin, values);
    return values;
}

void SafetensorsFile::read(const Entry& entry, std::span<std::byte> into) const {
    RINGSIDE_ASSERT(into.size() == entry.size);
    readAt(entry.begin, {reinterpret_cast<char*>(into.data()), into.size()});
}

std::string SafetensorsFile::sha256() const {
    Sha256 sum;
    std::string piece;
    for (std::size_t at = 0; at < m_size; at += piece.size()) {
        piece.resize(std::min(kReadAtOnce, m_size - at));
        readAt(at, piece);
        sum.add(std::as_bytes(std::span(piece)));
    }
    return sum.hex();
}

void SafetensorsFile::readAt(std::size_t offset, std::span<char> into) const {
    if (!m_file) {
        RINGSIDE_ASSERT(offset <= m_content.size() && into.size() <= m_content.size() - offset);
        std::ranges::copy(std::span(m_content).subspan(offset, into.size()), into.begin());
        return;
    }
    while (!into.empty()) {
        const ssize_t got = ::pread(m_file.get(), into.data(), into.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw IoError(m_name + " cannot be read (" + errnoText(errno) + "): check the disk");
        if (got == 0) throw IoError(m_name + " became shorter while it was read: do not change checkpoints");
        into = into.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::size_t>(got);
    }
}

}  // namespace ringside
