// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/errors.h"

namespace ringside {

// Failure of a collective for which ranks made different calls. missingRank() is one of these ranks.
class CallMismatchError : public CommError {
  public:
    using CommError::CommError;
};

}  // namespace ringside
