// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "comm/communicator.h"

namespace ringside {

// Description of an operation for error messages. It is converted to text only if an error occurs.
struct NcclOperation {
    const char* name = "";  // name of the operation: "all-reduce", "send"
    CommType type = CommType::kByte;
    std::size_t count = 0;    // number of elements; 0 if not meaningful
    std::int64_t number = 0;  // number of the collective; 0: the operation is no collective
    int peer = -1;            // rank at the other end of a send or recv; -1 for other operations
    // Number of collectives that were started as one group; `number` is then the number of the last collective, and
    // `count` is the sum of the element counts of all of them.
    int together = 1;

    // Returns the operation as text, such as "collective 41 (all-reduce of 10,634 floats)", "collectives 40 to 41
    // (all-gather of 90 floats)" or "send of 12 floats with rank 2".
    std::string text() const;
};

}  // namespace ringside
