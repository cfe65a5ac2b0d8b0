// SPDX-License-Identifier: Apache-2.0
#include "base/system/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

namespace ringside {
namespace {

// Splits a relative path into its components. Returns empty if the path is invalid or leads out of its directory.
std::vector<std::string> partsOf(const std::string& name) {
    std::vector<std::string> parts;
    if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos) return {};
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t slash = std::min(name.find('/', at), name.size());
        const std::string part = name.substr(at, slash - at);
        at = slash + 1;
        if (part == "..") return {};
        if (!part.empty() && part != ".") parts.push_back(part);
    }
    if (parts.empty()) parts.emplace_back(".");
    return parts;
}

UniqueFd outside() {
    errno = EXDEV;
    return {};
}

}  // namespace

UniqueFd walkBeneath(int directory, const std::string& name, int flags) {
    const std::vector<std::string> parts = partsOf(name);
    if (parts.empty()) return outside();
    UniqueFd folder;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const int from = folder ? folder.get() : directory;
        folder = UniqueFd(::openat(from, parts[i].c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!folder) return {};
    }
    return UniqueFd(::openat(folder ? folder.get() : directory, parts.back().c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
}

UniqueFd openBeneath(int directory, const std::string& name, int flags) {
    if (partsOf(name).empty()) return outside();
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how)));
    // ENOSYS: the kernel lacks openat2(). EPERM: a seccomp filter forbids it. walkBeneath() refuses the same names.
    if (!fd && (errno == ENOSYS || errno == EPERM)) return walkBeneath(directory, name, flags);
    return fd;
}

}  // namespace ringside
