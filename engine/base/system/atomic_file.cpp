// SPDX-License-Identifier: Apache-2.0
#include "base/system/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

[[noreturn]] void failWriting(const std::filesystem::path& path, int error) {
    const bool isLimit = error == EMFILE || error == ENFILE;
    throw IoError(path.string() + " cannot be written (" + errnoText(error) +
                      (isLimit ? "): raise the limit of open files"
                               : "): check the permissions and the free space, or choose another directory"),
                  error);
}

void writeAll(int fd, std::size_t offset, std::span<const std::byte> content, const std::filesystem::path& path) {
    while (!content.empty()) {
        const ssize_t written = ::pwrite(fd, content.data(), content.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) failWriting(path, errno);
        content = content.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::size_t>(written);
    }
}

void syncDirectory(const std::filesystem::path& directory) {
    const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) ::fsync(fd.get());
}

// Throws IoError if `name` exists and is neither a regular file nor a symbolic link. Without this check, a rename by
// root could replace a device such as /dev/null.
void refuseToReplace(int directory, const std::string& name, const std::filesystem::path& path) {
    struct stat old {};
    if (::fstatat(directory, name.empty() ? "." : name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISREG(old.st_mode) || S_ISLNK(old.st_mode)) return;
    throw IoError(path.string() + " " + fileKindText(old.st_mode) + ": choose a regular file");
}

// Creates a new file. An existing file or symbolic link of this name is removed and never written through.
UniqueFd createNew(int directory, const std::string& name, const std::filesystem::path& path) {
    // maximum number of attempts; an attempt fails if another process creates the name at the same time
    constexpr int kTries = 16;
    for (int i = 0; i < kTries; ++i) {
        ::unlinkat(directory, name.c_str(), 0);
        UniqueFd fd(::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
        if (fd) return fd;
        if (errno != EEXIST) break;
    }
    failWriting(path, errno);
}

}  // namespace

std::string fileKindText(mode_t mode) {
    if (S_ISDIR(mode)) return "is a directory";
    return S_ISFIFO(mode) ? "is a pipe, not a file" : "is a device, not a file";
}

AtomicFile::AtomicFile(const std::filesystem::path& path)
    : m_path(path), m_temporary(path.filename().string() + ".tmp") {
    const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
    m_directory.reset(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!m_directory) failWriting(path, errno);
    refuseToReplace(m_directory.get(), path.filename(), path);
    m_file = createNew(m_directory.get(), m_temporary, path);
}

AtomicFile::~AtomicFile() {
    if (m_file) ::unlinkat(m_directory.get(), m_temporary.c_str(), 0);
}

void AtomicFile::write(std::size_t offset, std::span<const std::byte> content) {
    writeAll(m_file.get(), offset, content, m_path);
}

void AtomicFile::commit() {
    if (::fsync(m_file.get()) != 0) failWriting(m_path, errno);
    commitWithoutSync();
    syncDirectory(m_path.has_parent_path() ? m_path.parent_path() : ".");
}

void AtomicFile::commitWithoutSync() {
    const std::string name = m_path.filename();
    if (::renameat(m_directory.get(), m_temporary.c_str(), m_directory.get(), name.c_str()) != 0)
        failWriting(m_path, errno);
    m_file.reset();
}

}  // namespace ringside
