// SPDX-License-Identifier: Apache-2.0
#include "base/system/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <span>
#include <system_error>

#include "base/system/atomic_file.h"

namespace ringside {

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
    if (!S_ISREG(info.st_mode)) return Problem{path.string(), fileKindText(info.st_mode), "name a file"};
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
    AtomicFile file(path);
    file.write(0, std::as_bytes(std::span(content)));
    file.commit();
}

}  // namespace ringside
