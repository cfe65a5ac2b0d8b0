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

// What a reader that was stopped gives back.
Problem stoppedReading(const std::filesystem::path& path);

// The bytes of a regular file in order, unpacked on the way when they are gzip by content, whatever the name says.
class ByteSource {
  public:
    // Problems: missing, unreadable, a directory, a pipe or device. When `stop` is asked for, reading soon ends with
    // stoppedReading().
    static Result<ByteSource> open(const std::filesystem::path& path, const std::stop_token& stop = {});
    ByteSource(ByteSource&&) noexcept;
    ByteSource& operator=(ByteSource&&) noexcept;
    ~ByteSource();

    const std::filesystem::path& path() const;
    bool packed() const;
    std::uint64_t position() const;  // bytes given out so far

    // No more than this is still to come: the rest of a plain file; 1032 times a gzip file's size, the best that
    // deflate can do. Held against what a header announces before anything is allocated.
    std::uint64_t mostBytesLeft() const;

    // Fills out; fewer bytes only at the end of the data. Problems: unreadable, damaged gzip, stopped.
    Result<std::size_t> read(std::span<std::byte> out);

    // As read, but fewer bytes are a problem: "ends after 12 bytes; 16 were expected for its header".
    Result<std::size_t> readAll(std::span<std::byte> out, const std::string& what);

  private:
    struct State;
    explicit ByteSource(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace ringside
