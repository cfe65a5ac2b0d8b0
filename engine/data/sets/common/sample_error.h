// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/errors.h"

namespace ringside {

// A sample could not be loaded; the text names it.
class SampleError : public Error {
  public:
    using Error::Error;
};

}  // namespace ringside
