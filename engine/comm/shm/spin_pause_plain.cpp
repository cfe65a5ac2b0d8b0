// SPDX-License-Identifier: Apache-2.0
// Where the processor is not an x86: looks one behind the other.
#include "comm/shm/spin_pause.h"

namespace ringside {

void spinPause() {}

}  // namespace ringside
