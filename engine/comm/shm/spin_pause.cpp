// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/spin_pause.h"

namespace ringside {

void spinPause() {
    __builtin_ia32_pause();
}

}  // namespace ringside
