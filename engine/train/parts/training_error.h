// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/errors/errors.h"
#include "base/errors/result.h"

namespace ringside {

// Training cannot start or continue because of the configuration or the data.
class TrainingError : public Error {
  public:
    explicit TrainingError(const std::string& text) : Error(text, ExitCode::kBadConfiguration) {}
    explicit TrainingError(const Problem& problem) : TrainingError(problem.text()) {}
};

// Returns the value, or throws the problem that the result contains as a TrainingError. For constructors, where an
// invalid configuration ends the process.
template <class T>
T valueOrThrow(Result<T> result) {
    if (!result) throw TrainingError(result.problem());
    return std::move(result).value();
}

}  // namespace ringside
