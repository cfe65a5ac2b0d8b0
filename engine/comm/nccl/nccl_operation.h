// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "comm/communicator.h"

namespace ringside {

// What a rank is doing when something goes wrong. Text is made only then.
struct NcclOperation {
    const char* name = "";  // "all-reduce", "send"
    CommType type = CommType::kByte;
    std::size_t count = 0;    // 0: no values to speak of
    std::int64_t number = 0;  // of the collective; 0: none
    int peer = -1;            // of send and recv

    std::string text() const;  // "collective 41 (all-reduce of 10,634 floats)", "send of 12 floats with rank 2"
};

}  // namespace ringside
