// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/errors/errors.h"

namespace ringside {

// Error in the input of a user or a peer: the field, its value and the limit, and the remedy.
struct Problem {
    std::string field;    // setting with the problem, such as "parallel.world_size", or a file name, or empty
    std::string message;  // text after the field, such as "is 0; the least is 1"
    std::string remedy;   // advice for the user: "set it to the number of worker processes you want"

    // Returns the problem as one line: "parallel.world_size is 0; the least is 1: set it to ..."
    std::string text() const;
    bool operator==(const Problem&) const = default;
};

using Problems = std::vector<Problem>;

// Value or the problem that prevented its computation, like std::expected. value() and problem() assert ok().
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
