// SPDX-License-Identifier: Apache-2.0
#include "launch/channels/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {

UniqueFd createSharedMemory(std::size_t bytes) {
    UniqueFd fd(::memfd_create("ringside-ranks", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
        const int error = errno;
        throw IoError("shared memory of " + std::to_string(bytes >> 20) + " MiB could not be created: " +
                      errnoText(error) + (error == EFBIG ? "; raise the limit of file sizes (ulimit -f)" : "") +
                      "; use fewer ranks or parallel.backend=gloo");
    }
    // Without the seals, a process that truncates the file would kill the other ranks with SIGBUS.
    ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return fd;
}

}  // namespace ringside
