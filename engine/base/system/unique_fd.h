// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include "base/system/unique_handle.h"

namespace ringside {

struct FdTraits {
    using Handle = int;
    static int none() { return -1; }
    static void close(int fd) noexcept { ::close(fd); }
};

using UniqueFd = UniqueHandle<FdTraits>;

}  // namespace ringside
