// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_operation.h"

#include "comm/collective_text.h"

namespace ringside {

std::string NcclOperation::text() const {
    std::string text = name;
    if (count > 0) text += " of " + describeValues(type, count);
    if (peer >= 0) text += " with rank " + std::to_string(peer);
    if (together > 1)
        return "collectives " + std::to_string(number - together + 1) + " to " + std::to_string(number) + " (" + text +
               ")";
    return number > 0 ? "collective " + std::to_string(number) + " (" + text + ")" : text;
}

}  // namespace ringside
