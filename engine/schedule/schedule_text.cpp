// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "schedule/schedule.h"

namespace ringside {
namespace {

constexpr int kMaxNumber = 100'000;
constexpr std::size_t kMaxActions = 1'000'000;

// Actions that the parser ignores because they follow from the other actions: messages, and gathering and freeing of
// FSDP parameters.
constexpr std::array<std::string_view, 7> kImplied{"SEND_F",  "RECV_F",  "SEND_B",     "RECV_B",
                                                   "UNSHARD", "RESHARD", "REDUCE_GRAD"};

std::optional<int> takeNumber(std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0 || number > kMaxNumber) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

// Parses an action such as "0F3".
std::optional<PipelineAction> parseAction(std::string_view text) {
    const auto stage = takeNumber(text);
    if (!stage || text.empty() || std::string_view("FBIW").find(text.front()) == std::string_view::npos) return {};
    const auto work = static_cast<PipelineWork>(text.front());
    text.remove_prefix(1);
    const auto microBatch = takeNumber(text);
    if (!microBatch || !text.empty()) return {};
    return PipelineAction{*stage, work, *microBatch};
}

bool isImplied(std::string_view text) {
    if (!takeNumber(text)) return false;
    return std::ranges::any_of(kImplied, [text](std::string_view word) { return text.starts_with(word); });
}

// Parses a pair such as "(0F3;3B1)OVERLAP_F_B".
bool parsePair(std::string_view text, std::vector<PipelineAction>& actions) {
    const std::size_t middle = text.find(';');
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || middle == text.npos || end == text.npos || middle > end) return false;
    auto first = parseAction(text.substr(1, middle - 1));
    const auto second = parseAction(text.substr(middle + 1, end - middle - 1));
    if (!first || !second || text.substr(end + 1) != "OVERLAP_F_B") return false;
    first->withNext = true;
    actions.insert(actions.end(), {*first, *second});
    return true;
}

bool parseCell(std::string_view cell, std::vector<PipelineAction>& actions) {
    if (const auto action = parseAction(cell)) {
        actions.push_back(*action);
        return true;
    }
    return isImplied(cell) || parsePair(cell, actions);
}

constexpr std::string_view kBetween = ", \t\r\"";

Problem unreadable(std::size_t row, std::string_view cell, std::size_t number) {
    std::string what("row ");
    what.append(std::to_string(row)).append(" has \"").append(cell.substr(0, 40)).append("\" as its ");
    what.append(std::to_string(number)).append(". action");
    return {"", what,
            "write each action as the number of a stage, a letter (F, B, I or W) and the number of a micro-batch, such "
            "as 0F3"};
}

Result<std::vector<PipelineAction>> parseRow(std::string_view row, std::size_t number) {
    std::vector<PipelineAction> actions;
    std::size_t cells = 0;
    for (std::size_t at = row.find_first_not_of(kBetween); at != row.npos;) {
        const std::size_t end = std::min(row.find_first_of(kBetween, at), row.size());
        const std::string_view cell = row.substr(at, end - at);
        ++cells;
        if (cells > kMaxActions || !parseCell(cell, actions)) return unreadable(number, cell, cells);
        at = row.find_first_not_of(kBetween, end);
    }
    return actions;
}

}  // namespace

std::string scheduleText(const Schedule& schedule) {
    std::string text;
    for (const auto& actions : schedule.ranks) {
        for (std::size_t i = 0; i < actions.size(); ++i) {
            if (i > 0) text += ',';
            if (actions[i].withNext && i + 1 < actions.size()) {
                text.append("(").append(actions[i].text()).append(";");
                text.append(actions[i + 1].text()).append(")OVERLAP_F_B");
                ++i;
            } else {
                text += actions[i].text();
            }
        }
        text += '\n';
    }
    return text;
}

Result<Schedule> parseSchedule(const std::string& text) {
    Schedule schedule;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view row = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (row.find_first_not_of(kBetween) == row.npos) continue;
        auto actions = parseRow(row, schedule.ranks.size() + 1);
        if (!actions) return actions.problem();
        schedule.ranks.push_back(std::move(actions).value());
    }
    if (schedule.ranks.empty())
        return Problem{"", "the schedule has no row of actions", "write a row for each rank, such as 0F0,0F1,0B0,0B1"};
    return schedule;
}

}  // namespace ringside
