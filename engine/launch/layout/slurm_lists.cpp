// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "launch/layout/launch_layout.h"
#include "launch/layout/whole_number.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxEntries = 65536;

// Splits a list at the commas outside brackets.
std::vector<std::string_view> splitOutside(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            parts.push_back(text.substr(start, i - start));
            start = i + 1;
        } else if (text[i] == '[' || text[i] == ']') {
            depth += text[i] == '[' ? 1 : -1;
        }
    }
    return parts;
}

std::string padded(int number, std::size_t width) {
    const std::string digits = std::to_string(number);
    return digits.size() >= width ? digits : std::string(width - digits.size(), '0') + digits;
}

// Appends the hosts of a range ("07-09") or number ("12"). False if `range` is neither, or there are too many hosts.
bool expandRange(std::string_view prefix, std::string_view range, std::string_view suffix,
                 std::vector<std::string>& hosts) {
    const std::size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const std::optional<int> first = wholeNumberIn(low);
    const std::optional<int> last = dash == std::string_view::npos ? first : wholeNumberIn(range.substr(dash + 1));
    if (!first || !last || *last < *first) return false;
    for (int number = *first; number <= *last; ++number) {
        if (hosts.size() >= kMaxEntries) return false;
        hosts.push_back(std::string(prefix) + padded(number, low.size()) + std::string(suffix));
    }
    return true;
}

bool expandHost(std::string_view entry, std::vector<std::string>& hosts) {
    const std::size_t open = entry.find('[');
    if (open == std::string_view::npos) {
        hosts.emplace_back(entry);
        return !entry.empty() && hosts.size() <= kMaxEntries;
    }
    const std::size_t close = entry.find(']', open);
    if (close == std::string_view::npos) return false;
    const std::string_view suffix = entry.substr(close + 1);
    if (suffix.find('[') != std::string_view::npos) return false;  // several bracket groups are not supported
    for (const std::string_view range : splitOutside(entry.substr(open + 1, close - open - 1))) {
        if (!expandRange(entry.substr(0, open), range, suffix, hosts)) return false;
    }
    return true;
}

}  // namespace

std::vector<std::string> expandHostList(const std::string& list) {
    std::vector<std::string> hosts;
    for (const std::string_view entry : splitOutside(list)) {
        if (!expandHost(entry, hosts)) return {};
    }
    return hosts;
}

std::vector<int> expandTasksPerNode(const std::string& text) {
    std::vector<int> tasks;
    for (const std::string_view entry : splitOutside(text)) {
        const std::size_t times = entry.find("(x");
        const std::optional<int> count = wholeNumberIn(entry.substr(0, times));
        std::optional<int> repeat = 1;
        if (times != std::string_view::npos) {
            if (!entry.ends_with(')')) return {};
            repeat = wholeNumberIn(entry.substr(times + 2, entry.size() - times - 3));
        }
        if (!count || !repeat || tasks.size() + static_cast<std::size_t>(*repeat) > kMaxEntries) return {};
        tasks.insert(tasks.end(), static_cast<std::size_t>(*repeat), *count);
    }
    return tasks;
}

}  // namespace ringside
