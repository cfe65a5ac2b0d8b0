// SPDX-License-Identifier: Apache-2.0
#include "limit_texts.h"

#include <sys/resource.h>

#include <cerrno>

namespace ringside {
namespace {

// Returns the limit of the address space, such as "900 MB"; empty if there is none.
std::string addressLimit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
    return std::to_string(limit.rlim_cur / 1'000'000) + " MB";
}

}  // namespace

std::string outOfMemoryText() {
    const std::string limit = addressLimit();
    if (limit.empty()) {
        return "memory ran out: lower loader.batch_size, the model's size or parallel.world_size, or free memory";
    }
    return "memory ran out under the limit of " + limit +
           " of addresses a process (ulimit -v, RLIMIT_AS): raise it, or lower loader.batch_size or the model's size";
}

std::string systemErrorText(const std::system_error& error) {
    const std::string what = std::string("the system refused: ") + error.what();
    if (error.code().value() != EAGAIN) return what;
    const std::string limit = addressLimit();
    if (limit.empty()) return what + "; no thread could be started: raise ulimit -u, or use fewer ranks";
    return what + "; no thread could be started under the limit of " + limit +
           " of addresses a process (ulimit -v, RLIMIT_AS): raise it";
}

}  // namespace ringside
