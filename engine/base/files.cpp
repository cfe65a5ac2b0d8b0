// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

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
    const UniqueFd fd(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) ::fsync(fd.get());
}

std::string kindOf(mode_t mode) {
    if (S_ISDIR(mode)) return "is a directory";
    return S_ISFIFO(mode) ? "is a pipe, not a file" : "is a device, not a file";
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
    struct stat old {};
    if (::lstat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode)) {
        // As root the rename would put a file in the place of /dev/null.
        throw IoError(path.string() + " " + kindOf(old.st_mode) + ": name a file");
    }
    std::filesystem::path temporary = path;
    temporary += ".tmp";
    UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) failWriting(path, errno);
    try {
        writeAll(fd.get(), content, path);
        if (::fsync(fd.get()) != 0) failWriting(path, errno);
        fd.reset();
        if (::rename(temporary.c_str(), path.c_str()) != 0) failWriting(path, errno);
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    syncDirectory(path.parent_path());
}

}  // namespace ringside
