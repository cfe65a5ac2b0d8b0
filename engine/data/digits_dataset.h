// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/memory_dataset.h"

namespace ringside {

// The built-in handwritten digits (UCI, CC BY 4.0): 1,797 images of 8 x 8, features = pixel / 16, labels 0 to 9.
SampleTable loadDigits();

}  // namespace ringside
