// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "sampling/query/plan_query.h"

namespace ringside {
namespace {

constexpr const char* kWays = "try #4242, class:7, rank:3, epoch:2, step:5, dup, dropped or never-seen";

Problem refusal(std::string_view word, const std::string& why) {
    std::string quoted(1, '"');
    quoted.append(word).push_back('"');
    return {quoted, why, kWays};
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

template <class Value>
std::optional<Problem> setOnce(std::optional<Value>& field, Value value, std::string_view word) {
    if (field) return refusal(word, "is the second term of its kind, but each kind may occur only once");
    field = std::move(value);
    return {};
}

std::optional<Problem> readNumber(std::optional<std::int64_t>& field, std::string_view digits, std::string_view word) {
    const auto value = wholeNumber(digits);
    if (!value) return refusal(word, "needs a whole number of at least 0");
    return setOnce(field, *value, word);
}

std::optional<Problem> readState(PlanQuery& query, std::string_view word) {
    using State = PlanQuery::State;
    const State state = word == "dup"          ? State::Duplicate
                        : word == "dropped"    ? State::Dropped
                        : word == "never-seen" ? State::NeverSeen
                                               : State::Any;
    if (state == State::Any) return refusal(word, "is not a search term");
    if (query.state != State::Any)
        return refusal(word, "is the second of the words dup, dropped and never-seen, but only one may occur");
    query.state = state;
    return {};
}

std::optional<Problem> readWord(PlanQuery& query, std::string_view word) {
    if (word.front() == '#') return readNumber(query.sample, word.substr(1), word);
    if (wholeNumber(word)) return readNumber(query.sample, word, word);
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) return readState(query, word);
    const std::string_view key = word.substr(0, colon);
    const std::string_view value = word.substr(colon + 1);
    if (key == "sample") return readNumber(query.sample, value, word);
    if (key == "rank") return readNumber(query.rank, value, word);
    if (key == "epoch") return readNumber(query.epoch, value, word);
    if (key == "step") return readNumber(query.step, value, word);
    if (key != "class") return refusal(word, "is not a search term");
    if (value.empty()) return refusal(word, "does not name a class");
    return setOnce(query.className, std::string(value), word);
}

}  // namespace

Result<PlanQuery> parsePlanQuery(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n,";
    PlanQuery query;
    bool any = false;
    for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;
         at = text.find_first_not_of(kBlank, at)) {
        const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
        if (auto problem = readWord(query, text.substr(at, end - at))) return *problem;
        any = true;
        at = end;
    }
    if (!any) return Problem{"search", "is empty", kWays};
    return query;
}

}  // namespace ringside
