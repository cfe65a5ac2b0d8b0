// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "data/sets/common/dataset.h"

namespace ringside::testing {

// Returns bytes as text: bytes({0, 0, 8, 1}).
inline std::string bytes(const std::vector<int>& values) {
    std::string text;
    for (const int value : values) text += static_cast<char>(value);
    return text;
}

inline std::string bigEndian32(std::uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 255U);
    return text;
}

inline std::filesystem::path writeRaw(const std::filesystem::path& path, const std::string& content) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path;
}

// Returns an IDX file of unsigned bytes.
inline std::string idxBytes(const std::vector<std::uint32_t>& sizes, const std::string& values) {
    std::string text = bytes({0, 0, 8, static_cast<int>(sizes.size())});
    for (const std::uint32_t size : sizes) text += bigEndian32(size);
    return text + values;
}

// Returns a .npy file of version 1 with this header, padded to 64 bytes as numpy pads it.
inline std::string npyFile(std::string header, const std::string& values) {
    header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
    header += '\n';
    const int size = static_cast<int>(header.size());
    return "\x93NUMPY" + bytes({1, 0, size % 256, size / 256}) + header + values;
}

inline std::vector<float> featuresOf(const Dataset& dataset, std::int64_t index) {
    std::vector<float> values(static_cast<std::size_t>(dataset.shape().features));
    dataset.features(index, values);
    return values;
}

}  // namespace ringside::testing
