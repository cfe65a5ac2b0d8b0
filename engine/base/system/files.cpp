// SPDX-License-Identifier: Apache-2.0
#include "base/system/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
namespace ringside {
namespace {

[[noreturn]] void failWriting(const std::filesystem::path& path, int error) {
    throw IoError(path.string() + " cannot be written (" + errnoText(error) +
                  "): free space or choose another directory");
}

void writeAll(int fd, std::string_view content, const std::filesystem::path& path) {
    while (!content.empty()) {
        const ssize_t written = ::write(fd, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) failWriting(path, errno);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
}

void syncDirectory(const std::filesystem::path& directory) {
    const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) ::fsync(fd.get());
}

std::string kindOf(mode_t mode) {
    if (S_ISDIR(mode)) return "is a directory";
    return S_ISFIFO(mode) ? "is a pipe, not a file" : "is a device, not a file";
}

// As root a rename would put a file in the place of /dev/null.
void refuseToReplace(int directory, const std::string& name, const std::filesystem::path& path) {
    struct stat old {};
    if (::fstatat(directory, name.empty() ? "." : name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISREG(old.st_mode) || S_ISLNK(old.st_mode)) return;
    throw IoError(path.string() + " " + kindOf(old.st_mode) + ": name a file");
}

// A file of our own making: what lay there under this name, a link to somebody's file maybe, is taken away, not
// written through.
UniqueFd createNew(int directory, const std::string& name, const std::filesystem::path& path) {
    constexpr int kTries = 16;  // somebody may put things there at the same time
    for (int i = 0; i < kTries; ++i) {
        ::unlinkat(directory, name.c_str(), 0);
        UniqueFd fd(::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
        if (fd) return fd;
        if (errno != EEXIST) break;
    }
    failWriting(path, errno);
}

}  // namespace

std::string errnoText(int error) {
    return std::generic_category().message(error);
}

Result<UniqueFd> openFile(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0) {
        return Problem{path.string(), "cannot be opened (" + errnoText(errno) + ")",
                       "check the path and its permissions"};
    }
    if (!S_ISREG(info.st_mode)) return Problem{path.string(), kindOf(info.st_mode), "name a file"};
    return fd;
}

Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes) {
    const Result<UniqueFd> file = openFile(path);
    if (!file) return file.problem();
    const int fd = file.value().get();
    std::string content;
    char buffer[1U << 16];
    for (;;) {
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Problem{path.string(), "cannot be read (" + errnoText(errno) + ")", "check the file"};
        if (got == 0) return content;
        content.append(buffer, static_cast<std::size_t>(got));
        if (content.size() > maxBytes) {
            return Problem{path.string(), "is larger than the limit of " + std::to_string(maxBytes) + " bytes",
                           "use a smaller file"};
        }
    }
}

void writeFileAtomically(const std::filesystem::path& path, std::string_view content) {
    const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
    const std::string name = path.filename();
    const std::string temporary = name + ".tmp";
    // Everything happens in this one directory, whatever its path leads to meanwhile.
    const UniqueFd directory(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) failWriting(path, errno);
    refuseToReplace(directory.get(), name, path);
    UniqueFd fd = createNew(directory.get(), temporary, path);
    try {
        writeAll(fd.get(), content, path);
        if (::fsync(fd.get()) != 0) failWriting(path, errno);
        fd.reset();
        if (::renameat(directory.get(), temporary.c_str(), directory.get(), name.c_str()) != 0) {
            failWriting(path, errno);
        }
    } catch (...) {
        ::unlinkat(directory.get(), temporary.c_str(), 0);
        throw;
    }
    syncDirectory(parent);
}

}  // namespace ringside
