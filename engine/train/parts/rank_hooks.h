// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "train/parts/wrong_index.h"

namespace ringside {

// What a test does to a rank from inside: called in its training thread, before the rank goes on. The workers that ship
// have none.
class RankHooks {
  public:
    virtual ~RankHooks() = default;
    virtual void onState(const std::string& /*state*/) {}  // that the rank is about to tell of
    virtual void onStep(std::int64_t /*step*/) {}          // that was trained
    virtual std::optional<WrongIndex> wrongIndex() const { return {}; }
};

}  // namespace ringside
