// SPDX-License-Identifier: Apache-2.0
#include "base/system/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "base/system/atomic_file.h"
#include "base/system/beneath.h"

namespace ringside {

std::string errnoText(int error) {
    const std::string text = std::generic_category().message(error);
    rlimit limit{};
    if (error != EMFILE || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return text;
    return text + ": ulimit -n allows " + std::to_string(limit.rlim_cur);
}

namespace {

// Folder of confineFilesTo(). Empty if this process may open all files.
UniqueFd& confinement() {
    static UniqueFd folder;
    return folder;
}

// Without O_NONBLOCK, opening a pipe without a writer would block.
constexpr int kReadOnly = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

Result<UniqueFd> checkedFile(UniqueFd fd, const std::filesystem::path& path) {
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0) {
        return Problem{path.string(), "cannot be opened (" + errnoText(errno) + ")",
                       "check the path and its permissions"};
    }
    if (!S_ISREG(info.st_mode)) return Problem{path.string(), fileKindText(info.st_mode), "choose a regular file"};
    return fd;
}

Result<std::string> contentOf(const Result<UniqueFd>& file, const std::filesystem::path& path, std::size_t maxBytes) {
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

}  // namespace

Result<bool> confineFilesTo(const std::filesystem::path& folder) {
    UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fchdir(fd.get()) != 0)
        return Problem{"the folder of the files that the classroom offers",
                       "cannot be opened (" + errnoText(errno) + ")", "join the classroom again"};
    confinement() = std::move(fd);
    return true;
}

Result<UniqueFd> openFile(const std::filesystem::path& path) {
    const int folder = confinement().get();
    UniqueFd fd =
        confinement() ? openBeneath(folder, path.string(), kReadOnly) : UniqueFd(::open(path.c_str(), kReadOnly));
    if (!fd && confinement() && (errno == EXDEV || errno == ELOOP))
        return Problem{"a file", "is not among the files that the classroom offers",
                       "ask the host of the classroom to add it to the experiment"};
    return checkedFile(std::move(fd), path);
}

Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes) {
    return contentOf(openFile(path), path, maxBytes);
}

Result<std::string> readKernelFile(const char* path, std::size_t maxBytes) {
    return contentOf(checkedFile(UniqueFd(::open(path, kReadOnly)), path), path, maxBytes);
}

void writeFileAtomically(const std::filesystem::path& path, std::string_view content) {
    AtomicFile file(path);
    file.write(0, std::as_bytes(std::span(content)));
    file.commit();
}

}  // namespace ringside
