// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/memory_dataset.h"

namespace ringside {

// torch.manual_seed(seed); x = torch.randn(size, features); y = torch.randn(size, targets), bit for bit.
SampleTable makeSynthetic(const DatasetConfig& config);

}  // namespace ringside
