// SPDX-License-Identifier: Apache-2.0
// Replaces the C library's renameat() in a test program.
#include "support/rename_hook.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>
#include <utility>

namespace ringside {
namespace {

std::mutex hookMutex;
std::function<void(const std::string&)> renameHook;

}  // namespace

void setRenameHook(std::function<void(const std::string& newName)> hook) {
    const std::lock_guard lock(hookMutex);
    renameHook = std::move(hook);
}

}  // namespace ringside

extern "C" int renameat(int fromDirectory, const char* from, int toDirectory, const char* to) noexcept {
    std::function<void(const std::string&)> hook;
    {
        const std::lock_guard lock(ringside::hookMutex);
        hook = ringside::renameHook;
    }
    if (hook) hook(to);
    return static_cast<int>(::syscall(SYS_renameat2, fromDirectory, from, toDirectory, to, 0));
}
