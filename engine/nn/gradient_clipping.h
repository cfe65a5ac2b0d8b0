// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "nn/layer.h"

namespace ringside {

// torch.nn.utils.clip_grad_norm_(parameters, maxNorm): the norm over all gradients before clipping. A norm that is not
// finite makes them so, as there (error_if_nonfinite=False).
double clipGradientNorm(const std::vector<Parameter*>& parameters, double maxNorm, Backend& backend);

}  // namespace ringside
