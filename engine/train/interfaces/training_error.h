// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/errors/errors.h"
#include "base/errors/result.h"

namespace ringside {

// Error because of which training cannot start or continue: the configuration or the data is invalid.
class TrainingError : public Error {
  public:
    explicit TrainingError(const std::string& text) : Error(text, ExitCode::kBadConfiguration) {}
    explicit TrainingError(const Problem& problem) : TrainingError(problem.text()) {}
};

// Returns the value of the result. If the result contains a problem, throws it as a TrainingError. For constructors,
// where an invalid configuration ends the process.
template <class T>
T valueOrThrow(Result<T> result) {
    if (!result) throw TrainingError(result.problem());
    return std::move(result).value();
}

}  // namespace ringside
