// SPDX-License-Identifier: Apache-2.0
#include "limit_texts.h"

#include <sys/resource.h>

#include <cerrno>

#include "base/text/number_text.h"

namespace ringside {
namespace {

// Returns the limit of the address space, such as "900.0 MiB"; empty if there is none.
std::string addressLimit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
    return memoryText(static_cast<std::int64_t>(limit.rlim_cur));
}

}  // namespace

std::string outOfMemoryText() {
    const std::string limit = addressLimit();
    if (limit.empty()) {
        return "out of memory: lower loader.batch_size, the size of the model or parallel.world_size, or free memory";
    }
    return "out of memory under the limit of " + limit +
           " of address space per process (ulimit -v, RLIMIT_AS): raise it, or lower loader.batch_size or the size of "
           "the model";
}

std::string systemErrorText(const std::system_error& error) {
    const std::string what = std::string("system error: ") + error.what();
    if (error.code().value() != EAGAIN) return what;
    const std::string limit = addressLimit();
    if (limit.empty()) return what + "; no thread could be started: raise ulimit -u, or use fewer ranks";
    return what + "; no thread could be started under the limit of " + limit +
           " of address space per process (ulimit -v, RLIMIT_AS): raise it";
}

}  // namespace ringside
