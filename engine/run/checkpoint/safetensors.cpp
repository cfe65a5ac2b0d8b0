// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/json.h"

namespace ringside {

static_assert(std::endian::native == std::endian::little, "the file's values and length are little-endian");

namespace {

// Format: u64 length of the JSON header, the header padded with spaces to 8 bytes, then the values without gaps.
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
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

// Not ordered_json, whose objects are searched from the front: a header may hold any number of names.
using Header = nlohmann::json;

std::optional<std::uint64_t> natural(const Header& value) {
    if (!value.is_number_unsigned()) return {};
    return value.get<std::uint64_t>();
}

// Shape and offsets of one entry of the header; empty when they make no sense.
std::optional<Entry> readEntry(const Header& json, std::size_t dataBytes) {
    if (!json.is_object()) return {};
    const auto type = json.find("dtype");
    const auto shape = json.find("shape");
    const auto offsets = json.find("data_offsets");
    if (type == json.end() || !type->is_string() || shape == json.end() || !shape->is_array() ||
        offsets == json.end() || !offsets->is_array() || offsets->size() != 2) {
        return {};
    }
    Entry entry{.type = type->get<std::string>()};
    std::uint64_t bytes = typeSize(entry.type);
    if (bytes == 0) return {};
    for (const Header& length : *shape) {
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

// Every byte after the header belongs to exactly one tensor.
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

std::string encodeHeader(const std::vector<StoredTensor>& sorted, const std::map<std::string, std::string>& metadata) {
    Json header = Json::object();
    for (const auto& [key, value] : metadata) header["__metadata__"][key] = value;
    std::size_t offset = 0;
    for (const StoredTensor& tensor : sorted) {
        const std::size_t end = offset + tensor.bytes.size();
        header[tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    return text;
}

}  // namespace

std::string encodeSafetensors(std::vector<StoredTensor> tensors, const std::map<std::string, std::string>& metadata) {
    // Wide types first, so that every value lies at a multiple of its size.
    std::ranges::sort(tensors, [](const StoredTensor& a, const StoredTensor& b) {
        const std::size_t sizeA = typeSize(a.type);
        const std::size_t sizeB = typeSize(b.type);
        return sizeA != sizeB ? sizeA > sizeB : a.name < b.name;
    });
    const std::string header = encodeHeader(tensors, metadata);
    const std::uint64_t length = header.size();
    std::string file(reinterpret_cast<const char*>(&length), sizeof length);
    file += header;
    for (const StoredTensor& tensor : tensors) file += tensor.bytes;
    return file;
}

Result<SafetensorsFile> SafetensorsFile::parse(std::string content, const std::string& file) {
    std::uint64_t length = 0;
    if (content.size() < kLengthBytes) {
        return brokenWeights(file, "has " + std::to_string(content.size()) + " bytes, too few for a safetensors file");
    }
    std::memcpy(&length, content.data(), kLengthBytes);
    const std::size_t rest = content.size() - kLengthBytes;
    if (length > rest || length > kMaxHeaderBytes) {
        return brokenWeights(file, "promises a header of " + std::to_string(length) + " bytes, but only " +
                                       std::to_string(rest) + " follow: it is cut short, or no safetensors file");
    }
    const std::string_view text = std::string_view(content).substr(kLengthBytes, length);
    const Header header = Header::parse(text.begin(), text.end(), nullptr, false);
    if (!header.is_object()) return brokenWeights(file, "has a header that is no JSON object");

    SafetensorsFile result;
    const std::size_t dataBytes = rest - length;
    for (const auto& [name, json] : header.items()) {
        if (name == "__metadata__") continue;
        const std::optional<Entry> entry = readEntry(json, dataBytes);
        if (!entry) {
            return brokenWeights(file, "has a tensor " + shown(name) +
                                           " whose type, shape and place do not fit into its " +
                                           std::to_string(dataBytes) + " bytes of values: it is cut short or damaged");
        }
        result.m_entries.emplace(name, *entry);
    }
    if (!coversAll(result.m_entries, dataBytes)) {
        return brokenWeights(file, "has values that belong to no tensor or to two: it is damaged");
    }
    for (auto& [name, entry] : result.m_entries) entry.begin += kLengthBytes + length;
    result.m_content = std::move(content);
    return result;
}

const SafetensorsFile::Entry* SafetensorsFile::find(const std::string& name) const {
    const auto found = m_entries.find(name);
    return found == m_entries.end() ? nullptr : &found->second;
}

std::span<const std::byte> SafetensorsFile::bytes(const Entry& entry) const {
    return std::as_bytes(std::span(m_content)).subspan(entry.begin, entry.size);
}

}  // namespace ringside
