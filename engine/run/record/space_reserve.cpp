// SPDX-License-Identifier: Apache-2.0
#include "run/record/space_reserve.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"

namespace ringside {
namespace {

constexpr off_t kBytes = 256 << 10;  // summary, end line and log with twenty long last lines of a rank

[[noreturn]] void refuse(const std::filesystem::path& directory, int error) {
    throw IoError(directory.string() + " has no room for a run (" + errnoText(error) +
                  "): free space or choose another directory with --out");
}

}  // namespace

SpaceReserve::SpaceReserve(const std::filesystem::path& directory) {
    const std::filesystem::path path = directory / "reserve.tmp";
    m_file.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!m_file) refuse(directory, errno);
    ::unlink(path.c_str());
    const int error = ::posix_fallocate(m_file.get(), 0, kBytes);
    // A file system that cannot set space aside is used without.
    if (error == ENOSPC || error == EDQUOT) refuse(directory, error);
}

}  // namespace ringside
