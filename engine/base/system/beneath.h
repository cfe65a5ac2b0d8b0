// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/system/unique_fd.h"

namespace ringside {

// Opens a file below a directory without ever leaving it: symbolic links, also of directories on the way, absolute
// names and ".." are errors. Uses openat2(2) with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS, and
// walkBeneath() on kernels before 5.6. flags: those of open(2); O_CLOEXEC is added. On failure, returns an empty
// descriptor and sets errno.
UniqueFd openBeneath(int directory, const std::string& name, int flags);

// Has the contract of openBeneath() and opens one directory after another with O_NOFOLLOW.
UniqueFd walkBeneath(int directory, const std::string& name, int flags);

}  // namespace ringside
