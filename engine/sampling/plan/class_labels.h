// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// The class of every sample: what class-based samplers need to know of a data set.
class ClassLabels {
  public:
    virtual ~ClassLabels() = default;

    virtual std::int64_t size() const = 0;
    virtual std::int64_t classCount() const = 0;  // 0 for regression
    virtual std::int64_t label(std::int64_t index) const = 0;
};

}  // namespace ringside
