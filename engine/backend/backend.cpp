// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include "backend/update_state.h"

namespace ringside {

void Backend::decideUpdateWith(double squaredNorm, const UpdateRules& rules, const Tensor& state) {
    UpdateState now;
    download(state, &now);
    ringside::decideUpdate(now, rules, squaredNorm);
    upload(&now, state);
}

}  // namespace ringside
