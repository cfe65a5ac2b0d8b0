// SPDX-License-Identifier: Apache-2.0
#include "run/record/space_reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/system/files.h"

namespace ringside {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& directory, const std::string& what, int error) {
    throw IoError(directory.string() + " does not have enough space for " + what + " (" + errnoText(error) +
                  "): free space or choose another directory with --out");
}

}  // namespace

SpaceReserve::SpaceReserve(const std::filesystem::path& directory, std::int64_t bytes, const std::string& what) {
    // The name must be unique: several ranks can reserve space at the same time, and a rank that is killed before
    // unlink() leaves its file behind.
    std::string path = (directory / "reserve-XXXXXX").string();
    m_file.reset(::mkostemp(path.data(), O_CLOEXEC));
    if (!m_file) refuse(directory, what, errno);
    ::unlink(path.c_str());
    // With any other error, the file system cannot reserve space: the reserve stays empty. Filling the file with zeros
    // instead would take as long as saving a checkpoint.
    int failed = ::fallocate(m_file.get(), 0, 0, bytes);
    while (failed != 0 && errno == EINTR) failed = ::fallocate(m_file.get(), 0, 0, bytes);
    if (failed != 0 && (errno == ENOSPC || errno == EDQUOT)) refuse(directory, what, errno);
}

void SpaceReserve::shrinkTo(std::int64_t bytes) {
    struct stat info {};
    if (!m_file || ::fstat(m_file.get(), &info) != 0 || info.st_size <= bytes) return;
    [[maybe_unused]] const int ignored = ::ftruncate(m_file.get(), bytes);
}

}  // namespace ringside
