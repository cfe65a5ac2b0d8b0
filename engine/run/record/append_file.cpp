// SPDX-License-Identifier: Apache-2.0
#include "run/record/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

constexpr std::size_t kFlushBytes = 1U << 18;
// Opens a file without following symbolic links and without blocking on a pipe.
constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

[[noreturn]] void failWriting(const std::filesystem::path& path, int error) {
    const bool isLimit = error == EMFILE || error == ENFILE;
    throw IoError(
        path.string() + " cannot be written (" + errnoText(error) +
            (isLimit ? "): raise the limit of open files" : "): free space or choose another directory with --out"),
        error);
}

}  // namespace

AppendFile::AppendFile(std::filesystem::path path)
    : m_path(std::move(path)), m_fd(::open(m_path.c_str(), kFlags, 0644)) {
    if (!m_fd) failWriting(m_path, errno);
    struct stat held {};
    if (::fstat(m_fd.get(), &held) != 0) failWriting(m_path, errno);
    m_before = held.st_size;
}

void AppendFile::add(std::string_view text) {
    m_pending += text;
    if (m_pending.size() >= kFlushBytes) flush();
}

void AppendFile::flush() {
    std::string_view rest = m_pending;
    while (!rest.empty()) {
        const ssize_t written = ::write(m_fd.get(), rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(errno, m_pending.size() - rest.size());
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    m_size += static_cast<off_t>(m_pending.size());
    m_pending.clear();
}

// Handles a failed write: truncates the file after the last whole line that this object has written, and throws
// IoError. Content from before the file was opened is kept.
void AppendFile::fail(int error, std::size_t written) {
    const std::size_t newline = written == 0 ? std::string::npos : m_pending.rfind('\n', written - 1);
    if (newline != std::string::npos) m_size += static_cast<off_t>(newline + 1);
    [[maybe_unused]] const int truncated = ::ftruncate(m_fd.get(), m_before + m_size);
    m_pending.clear();
    failWriting(m_path, error);
}

}  // namespace ringside
