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

// Description of a tensor in a safetensors file. Values are little-endian and row-major.
struct TensorOutline {
    std::string name = {};
    std::string type = "F32";              // element type, with its name in the file format: F32, I64, ...
    std::vector<std::int64_t> shape = {};  // shape, outermost dimension first; empty for a single value

    // Returns the size of the values in bytes; 0 for an unknown type.
    std::size_t bytes() const;
};

// Reader of a safetensors file. Only the header is kept in memory; values are read on demand. The content is not
// trusted: lengths, offsets and shapes are checked against each other before memory is allocated for them.
class SafetensorsFile {
  public:
    struct Entry {
        std::string type = {};
        std::vector<std::int64_t> shape = {};
        std::size_t begin = 0;  // offset of the tensor in the file, in bytes
        std::size_t size = 0;   // size of the tensor in bytes
    };

    // Maximum size of a header that is accepted, in bytes; the file format itself allows 100,000,000 bytes.
    static constexpr std::size_t kMaxHeaderBytes = std::size_t{16} << 20;
    static constexpr std::size_t kMaxTensors = 65536;

    // Opens a file, which stays open as long as the object exists. Returns a problem if it is not a valid safetensors
    // file.
    static Result<SafetensorsFile> open(const std::filesystem::path& path);
    // Reads a file from its content. Returns a problem, which names `file`, if it is not a valid safetensors file.
    static Result<SafetensorsFile> parse(std::string content, const std::string& file);

    const std::map<std::string, Entry>& entries() const { return m_entries; }
    // Returns the entry of the tensor `name`; null if the file has no such tensor.
    const Entry* find(const std::string& name) const;
    // Returns the size of the whole safetensors file in bytes.
    std::size_t size() const { return m_size; }
    // Returns the values of a tensor. Throws IoError if the file has become shorter or cannot be read.
    std::string bytes(const Entry& entry) const;
    // Reads the values of a tensor into `into`, whose size must be entry.size. Throws IoError like bytes().
    void read(const Entry& entry, std::span<std::byte> into) const;
    // Returns the SHA-256 of the whole file, in lower-case hex. Throws IoError like bytes().
    std::string sha256() const;

  private:
    static Result<SafetensorsFile> read(SafetensorsFile file);
    std::optional<Problem> readHeader(std::string_view header, std::size_t dataBytes);
    void readAt(std::size_t offset, std::span<char> into) const;

    std::string m_name;
    std::size_t m_size = 0;
    UniqueFd m_file;        // the file, if the object was made by open()
    std::string m_content;  // content of the file, if the object was made by parse()
    std::map<std::string, Entry> m_entries;
};

// Layout of a safetensors file: positions of the tensors' values.
struct SafetensorsLayout {
    std::string head = {};  // first bytes of the file: length of the header (8 bytes), then the header
    std::map<std::string, SafetensorsFile::Entry> entries = {};
    std::size_t size = 0;  // size of the whole file in bytes
};
// Computes the layout of a safetensors file. The result does not depend on the order of the tensors. metadata: names
// and texts that are stored in the header; may be empty.
SafetensorsLayout layOut(std::vector<TensorOutline> tensors, const std::map<std::string, std::string>& metadata);

}  // namespace ringside
