// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "data/sets/common/memory_dataset.h"

namespace ringside {

// Returns the built-in handwritten digits (UCI, CC BY 4.0): 1,797 images of 8 x 8, features = pixel / 16, labels 0 to
// 9.
SampleTable loadDigits();

// Returns the file of the digits: gzip-compressed lines of 64 pixels from 0 to 16 and the digit.
std::string_view packedDigits();

}  // namespace ringside
