// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>

#include "base/errors/result.h"

namespace ringside {

// Returns the problem that reading reports when it was stopped by a stop token.
Problem stoppedReading(const std::filesystem::path& path);

// Sequential reader of a regular file. Unpacks gzip data while reading. Gzip is detected by content, not by name.
class ByteSource {
  public:
    // Opens a file. Problems: missing, unreadable, a directory, a pipe or device. After a stop request on `stop`, reads
    // return stoppedReading() within about 1 MiB.
    static Result<ByteSource> open(const std::filesystem::path& path, const std::stop_token& stop = {});
    ByteSource(ByteSource&&) noexcept;
    ByteSource& operator=(ByteSource&&) noexcept;
    ~ByteSource();

    const std::filesystem::path& path() const;
    bool packed() const;
    std::uint64_t position() const;  // returns the number of bytes read

    // Returns an upper bound of the number of bytes that can still be read. Sizes in headers are compared with it
    // before memory is allocated. For a gzip file, the unpacked size is assumed to be at most 1032 times the file size,
    // the best ratio of deflate.
    std::uint64_t maxBytesLeft() const;

    // Fills `out` and returns the number of bytes read, which is smaller only at the end of the data. Problems:
    // unreadable, damaged gzip, stopped.
    Result<std::size_t> read(std::span<std::byte> out);

    // Reads like read(), but reports a problem if the data end before `out` is filled: "ends after 12 bytes; 16 were
    // expected for its header".
    Result<std::size_t> readAll(std::span<std::byte> out, const std::string& what);

  private:
    struct State;
    explicit ByteSource(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace ringside
