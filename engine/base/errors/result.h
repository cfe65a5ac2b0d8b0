// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/errors/errors.h"

namespace ringside {

// Something a user or a peer got wrong: which field, what is wrong with its value (with the limit), the way out.
struct Problem {
    std::string field;    // "parallel.world_size", a file name, or empty
    std::string message;  // "is 0; the least is 1"
    std::string remedy;   // "set it to the number of worker processes you want"

    // One line: "parallel.world_size is 0; the least is 1: set it to ..."
    std::string text() const;
    bool operator==(const Problem&) const = default;
};

using Problems = std::vector<Problem>;

// A value, or the problem that kept it from being made.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : m_content(std::move(value)) {}            // NOLINT(google-explicit-constructor)
    Result(Problem problem) : m_content(std::move(problem)) {}  // NOLINT(google-explicit-constructor)

    bool ok() const { return std::holds_alternative<T>(m_content); }
    explicit operator bool() const { return ok(); }

    const T& value() const& {
        RINGSIDE_ASSERT(ok());
        return std::get<T>(m_content);
    }
    T& value() & {
        RINGSIDE_ASSERT(ok());
        return std::get<T>(m_content);
    }
    T&& value() && {
        RINGSIDE_ASSERT(ok());
        return std::get<T>(std::move(m_content));
    }
    const Problem& problem() const {
        RINGSIDE_ASSERT(!ok());
        return std::get<Problem>(m_content);
    }

  private:
    std::variant<T, Problem> m_content;
};

}  // namespace ringside
