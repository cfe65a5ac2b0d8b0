// SPDX-License-Identifier: Apache-2.0
#include "base/errors/errors.h"

#include <cstring>

namespace ringside {

void assertionFailed(const char* condition, const char* file, int line) {
    const char* slash = std::strrchr(file, '/');
    throw InternalError("internal error: " + std::string(condition) + " failed at " + (slash ? slash + 1 : file) + ":" +
                        std::to_string(line) + "; please report it");
}

}  // namespace ringside
