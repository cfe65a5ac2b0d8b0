// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// Between two looks at memory that another CPU is to change: tells this CPU that it only waits.
void spinPause();

}  // namespace ringside
