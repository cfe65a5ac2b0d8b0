// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/result.h"
#include "base/system/unique_fd.h"

namespace ringside {

// What a safetensors file says of a tensor: little-endian values, row-major.
struct TensorOutline {
    std::string name = {};
    std::string type = "F32";              // as in the format: F32, I64, ...
    std::vector<std::int64_t> shape = {};  // outermost first; empty for a single value

    std::size_t bytes() const;  // of its values; 0: an unknown type
};

// A file of which only the header is held; values are read when they are asked for. Nothing in it is trusted: lengths,
// offsets and shapes are checked against one another before any memory is taken for them.
class SafetensorsFile {
  public:
    struct Entry {
        std::string type = {};
        std::vector<std::int64_t> shape = {};
        std::size_t begin = 0;  // in the file
        std::size_t size = 0;
    };

    static constexpr std::size_t kMaxHeaderBytes = std::size_t{16} << 20;  // the format's own limit is 100,000,000
    static constexpr std::size_t kMaxTensors = 65536;

    // A file that stays open.
    static Result<SafetensorsFile> open(const std::filesystem::path& path);
    // The bytes of one; `file` is what problems call it.
    static Result<SafetensorsFile> parse(std::string content, const std::string& file);

    const std::map<std::string, Entry>& entries() const { return m_entries; }
    const Entry* find(const std::string& name) const;
    std::size_t size() const { return m_size; }  // of the whole file
    // A tensor's values. Throws IoError when the file has become shorter or cannot be read.
    std::string bytes(const Entry& entry) const;
    void read(const Entry& entry, std::span<std::byte> into) const;  // as many as it has
    // Of the whole file, as sha256Of() gives it. Throws IoError.
    std::string sha256() const;

  private:
    static Result<SafetensorsFile> read(SafetensorsFile file);
    std::optional<Problem> readHeader(std::string_view header, std::size_t dataBytes);
    void readAt(std::size_t offset, std::span<char> into) const;

    std::string m_name;
    std::size_t m_size = 0;
    UniqueFd m_file;  // one of the two
    std::string m_content;
    std::map<std::string, Entry> m_entries;
};

// Where the values of tensors lie in a file, the same for the same tensors in any order. metadata: text to text, may be
// empty.
struct SafetensorsLayout {
    std::string head = {};  // the file's beginning
    std::map<std::string, SafetensorsFile::Entry> places = {};
    std::size_t size = 0;  // of the whole file
};
SafetensorsLayout layOut(std::vector<TensorOutline> tensors, const std::map<std::string, std::string>& metadata);

}  // namespace ringside
