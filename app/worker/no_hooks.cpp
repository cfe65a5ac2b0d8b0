// SPDX-License-Identifier: Apache-2.0
#include "worker_hooks.h"

namespace ringside {

std::unique_ptr<RankHooks> makeRankHooks(const RankEnvironment&) {
    return nullptr;
}

}  // namespace ringside
