// SPDX-License-Identifier: Apache-2.0
#include "nn/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "backend/backend.h"
#include "base/json.h"

namespace ringside {

static_assert(std::endian::native == std::endian::little, "the file's floats and length are little-endian");

namespace {

// Format: u64 length of the JSON header, the header padded with spaces to 8 bytes, then the values without gaps.
std::string encodeHeader(const std::vector<Parameter*>& sorted,
                         const std::vector<std::pair<std::string, std::string>>& metadata) {
    Json header = Json::object();
    for (const auto& [key, value] : metadata) header["__metadata__"][key] = value;
    std::size_t offset = 0;
    for (const Parameter* parameter : sorted) {
        const std::size_t end = offset + parameter->value.bytes();
        header[parameter->name] = {{"dtype", "F32"}, {"shape", Json::array()}, {"data_offsets", {offset, end}}};
        for (std::int64_t size : parameter->shape.sizes()) header[parameter->name]["shape"].push_back(size);
        offset = end;
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    return text;
}

}  // namespace

std::string encodeSafetensors(const std::vector<Parameter*>& parameters, Backend& backend,
                              const std::vector<std::pair<std::string, std::string>>& metadata) {
    std::vector<Parameter*> sorted = parameters;
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    const std::string header = encodeHeader(sorted, metadata);
    const std::uint64_t length = header.size();
    std::string file(reinterpret_cast<const char*>(&length), sizeof length);
    file += header;
    for (const Parameter* parameter : sorted) {
        const std::size_t start = file.size();
        file.resize(start + parameter->value.bytes());
        backend.download(parameter->value, file.data() + start);
    }
    return file;
}

}  // namespace ringside
