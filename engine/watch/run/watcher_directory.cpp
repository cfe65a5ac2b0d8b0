// SPDX-License-Identifier: Apache-2.0
#include "watch/run/watcher_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "base/crypto/secret.h"
#include "base/errors/errors.h"
#include "base/system/files.h"
#include "base/system/resource_directory.h"
#include "base/system/unique_fd.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSecret = 4096;
constexpr std::size_t kMaxDirectory = 80;  // limit of the length of the parent directory's path in bytes, so that the
                                           // path of a socket below it fits into the 108 bytes that Linux allows
constexpr const char* kInjected = "python/ringside_watch/inject";
constexpr std::string_view kBlank = " \t\r\n";

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

// Returns the directory in which the watcher's private directory is created.
std::string parentDirectory() {
    const std::string runtime = variable("XDG_RUNTIME_DIR");
    const std::string temporary = variable("TMPDIR");
    for (const std::string& one : {runtime, temporary})
        if (!one.empty() && one.front() == '/' && one.size() < kMaxDirectory && ::access(one.c_str(), W_OK) == 0)
            return one;
    return "/tmp";
}

}  // namespace

WatcherDirectory::WatcherDirectory() : m_secret(randomHex(32)) {
    std::string name = parentDirectory() + "/ringside-watch-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
        throw IoError(name + " cannot be created (" + errnoText(errno) +
                      "): set TMPDIR to a directory that you can write");
    m_directory = name;
    writeSecretFile(secretFile(), m_secret);
}

WatcherDirectory::~WatcherDirectory() {
    std::error_code ignored;
    fs::remove(secretFile(), ignored);
    fs::remove(socket(), ignored);
    fs::remove(m_directory, ignored);
}

void writeSecretFile(const fs::path& file, const std::string& secret) {
    const UniqueFd out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    const std::string text = secret + "\n";
    if (!out || ::write(out.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw IoError(file.string() + " cannot be written (" + errnoText(errno) + ")");
}

Result<std::string> readSecretFile(const fs::path& file) {
    const UniqueFd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    if (!in || ::fstat(in.get(), &info) != 0)
        return Problem{file.string(), "cannot be read (" + errnoText(errno) + ")",
                       "name the file that contains the watcher's secret"};
    if ((info.st_mode & 077) != 0)
        return Problem{file.string(), "can be read by other users", "chmod 600 " + file.string()};
    std::string text(kMaxSecret + 1, '\0');
    const ssize_t got = ::read(in.get(), text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (text.size() > kMaxSecret)
        return Problem{file.string(), "has more than 4,096 bytes", "name the file that contains the watcher's secret"};
    const std::size_t from = text.find_first_not_of(kBlank);
    if (from == std::string::npos) return Problem{file.string(), "is empty", "write a secret of your choice into it"};
    return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

Result<std::vector<std::string>> watchEnvironment(const std::string& address, const fs::path& secretFile) {
    const Result<fs::path> injected = resourcePath(kInjected);
    if (!injected) return injected.problem();
    const std::string own = variable("PYTHONPATH");
    std::error_code error;
    const fs::path folder = fs::canonical(injected.value(), error);
    if (error)
        return Problem{injected.value().string(), "cannot be read (" + error.message() + ")", "install Ringside again"};
    std::vector<std::string> all{"PYTHONPATH=" + folder.string() + (own.empty() ? "" : ":" + own),
                                 "RINGSIDE_WATCH=" + address, "RINGSIDE_WATCH_SECRET_FILE=" + secretFile.string()};
    if (variable("TORCH_FR_BUFFER_SIZE").empty()) all.emplace_back("TORCH_FR_BUFFER_SIZE=2000");
    return all;
}

}  // namespace ringside
