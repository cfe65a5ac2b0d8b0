// SPDX-License-Identifier: Apache-2.0
#include "launch_arguments.h"

#include "command_line.h"

namespace ringside {
namespace {

constexpr int kMaxRanks = 1 << 20;
constexpr int kMaxSeconds = 86400;
constexpr int kMaxRestarts = 1000;
constexpr std::size_t kLongestName = 64;

}  // namespace

Result<LaunchArguments> parseLaunchArguments(int argc, const char* const* argv) {
    LaunchArguments arguments;
    int seconds = static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(arguments.wait).count());
    CLI::App app;
    app.add_option("config", arguments.config);
    app.add_option("--out", arguments.out);
    app.add_option("--resume", arguments.resume);
    app.add_option("--name", arguments.name);
    app.add_option("--set", arguments.assignments)->expected(1)->take_all();
    app.add_option("--wait", seconds)->check(CLI::Range(1, kMaxSeconds));
    app.add_option("--restart", arguments.restart)->check(CLI::Range(0, kMaxRestarts));
    app.add_option("--rank", arguments.layout.rank)->check(CLI::Range(0, kMaxRanks));
    app.add_option("--world-size", arguments.layout.worldSize)->check(CLI::Range(0, kMaxRanks));
    app.add_option("--local-rank", arguments.layout.localRank)->check(CLI::Range(0, kMaxRanks));
    app.add_option("--master", arguments.layout.master);
    try {
        if (const auto problem = readCommandLine(app, argc, argv, "see ringside-worker --help")) return *problem;
    } catch (const CLI::CallForHelp&) {
        arguments.help = true;
    }
    arguments.wait = std::chrono::seconds(seconds);
    arguments.name.resize(std::min(arguments.name.size(), kLongestName));
    return arguments;
}

}  // namespace ringside
