// SPDX-License-Identifier: Apache-2.0
#include "launch_arguments.h"

#include <charconv>
#include <string_view>

namespace ringside {
namespace {

Problem wrong(const std::string& argument, const std::string& message) {
    return {argument, message, "see ringside-worker --help"};
}

bool parseWhole(std::string_view text, int most, int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= most;
}

bool parseRank(std::string_view text, std::optional<int>& value) {
    int number = 0;
    if (!parseWhole(text, 1 << 20, number)) return false;
    value = number;
    return true;
}

bool parseWait(std::string_view text, std::chrono::milliseconds& value) {
    int seconds = 0;
    if (!parseWhole(text, 86400, seconds) || seconds == 0) return false;
    value = std::chrono::seconds(seconds);
    return true;
}

// Applies one option. False if the value is invalid; a problem if the option does not exist.
Result<bool> takeOption(LaunchArguments& arguments, const std::string& name, const std::string& value) {
    if (name == "--rank") return parseRank(value, arguments.place.rank);
    if (name == "--world-size") return parseRank(value, arguments.place.worldSize);
    if (name == "--local-rank") return parseRank(value, arguments.place.localRank);
    if (name == "--wait") return parseWait(value, arguments.wait);
    if (name == "--restart") return parseWhole(value, 1000, arguments.restart);
    if (name == "--master")
        arguments.place.master = value;
    else if (name == "--out")
        arguments.out = value;
    else if (name == "--resume")
        arguments.resume = value;
    else if (name == "--name")
        arguments.name = value.substr(0, 64);
    else if (name == "--set")
        arguments.assignments.push_back(value);
    else
        return wrong(name, "is not an option of ringside-worker");
    return !value.empty();
}

}  // namespace

Result<LaunchArguments> parseLaunchArguments(int argc, const char* const* argv) {
    LaunchArguments arguments;
    for (int i = 1; i < argc; ++i) {
        std::string name = argv[i];
        if (name == "--help" || name == "-h") {
            arguments.help = true;
            return arguments;
        }
        if (!name.starts_with("--")) {
            if (!arguments.config.empty()) return wrong(name, "comes after the experiment " + arguments.config);
            arguments.config = name;
            continue;
        }
        const std::size_t equals = name.find('=');
        std::string value = equals == std::string::npos ? "" : name.substr(equals + 1);
        name = name.substr(0, equals);
        if (equals == std::string::npos) {
            if (i + 1 >= argc) return wrong(name, "has no value");
            value = argv[++i];
        }
        const Result<bool> taken = takeOption(arguments, name, value);
        if (!taken) return taken.problem();
        if (!taken.value()) return wrong(name, "cannot be \"" + value + "\"");
    }
    return arguments;
}

}  // namespace ringside
