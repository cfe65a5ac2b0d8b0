// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// Classes of a data set's samples, for samplers that assign by class.
class ClassLabels {
  public:
    virtual ~ClassLabels() = default;

    virtual std::int64_t size() const = 0;
    virtual std::int64_t classCount() const = 0;  // returns the number of classes; 0 for regression data
    virtual std::int64_t label(std::int64_t index) const = 0;
};

}  // namespace ringside
