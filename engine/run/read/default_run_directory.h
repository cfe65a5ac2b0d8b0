// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/errors/result.h"

namespace ringside {

// Returns the directory for runs without the option --out: "./runs", or "runs" below ~/.local/share/ringside if the
// current directory is not writable. The directory need not exist; the function does not create it.
std::filesystem::path runsDirectory();

// Creates a directory YYYY-MM-DD-HHMMSS-name in runsDirectory(), with a number appended if the name exists. No other
// run gets the same directory, even if both start at the same time.
Result<std::filesystem::path> makeDefaultRunDirectory(const std::string& name);

// Default run directory reserved for another process, such as rank 0 of a classroom run. The destructor removes the
// directory if it is still empty.
class ReservedRunDirectory {
  public:
    static Result<ReservedRunDirectory> make(const std::string& name);
    ~ReservedRunDirectory();
    ReservedRunDirectory(ReservedRunDirectory&& other) noexcept;
    ReservedRunDirectory& operator=(ReservedRunDirectory&& other) = delete;

    const std::filesystem::path& path() const { return m_path; }

  private:
    explicit ReservedRunDirectory(std::filesystem::path path) : m_path(std::move(path)) {}

    std::filesystem::path m_path;
};

}  // namespace ringside
