// SPDX-License-Identifier: Apache-2.0
#include "comm/communicator.h"

#include "base/errors.h"

namespace ringside {

std::size_t sizeOf(CommType type) {
    switch (type) {
        case CommType::kFloat32:
            return 4;
        case CommType::kFloat64:
        case CommType::kInt64:
            return 8;
        case CommType::kByte:
            return 1;
    }
    RINGSIDE_ASSERT(false);
}

}  // namespace ringside
