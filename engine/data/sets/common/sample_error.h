// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/errors.h"

namespace ringside {

// Error while loading a sample. The text names the sample.
class SampleError : public Error {
  public:
    using Error::Error;
};

}  // namespace ringside
