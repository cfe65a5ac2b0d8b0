// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringside {

// One tensor of a safetensors file: little-endian values, row-major.
struct StoredTensor {
    std::string name = {};
    std::string type = "F32";              // as in the format: F32, I64, ...
    std::vector<std::int64_t> shape = {};  // outermost first; empty for a single value
    std::string bytes = {};
};

// The file, byte for byte the same for the same tensors in any order. metadata: text to text, may be empty.
std::string encodeSafetensors(std::vector<StoredTensor> tensors, const std::map<std::string, std::string>& metadata);

// A file read whole. Nothing in it is trusted: lengths, offsets and shapes are checked against one another.
class SafetensorsFile {
  public:
    struct Entry {
        std::string type = {};
        std::vector<std::int64_t> shape = {};
        std::size_t begin = 0;  // in the file
        std::size_t size = 0;
    };

    // `file` is what problems call it.
    static Result<SafetensorsFile> parse(std::string content, const std::string& file);

    const std::map<std::string, Entry>& entries() const { return m_entries; }
    const Entry* find(const std::string& name) const;
    std::span<const std::byte> bytes(const Entry& entry) const;

  private:
    std::string m_content;
    std::map<std::string, Entry> m_entries;
};

}  // namespace ringside
