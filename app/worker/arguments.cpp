// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <string>

#include "command_line.h"
#include "config/choices.h"

namespace ringside {

namespace {

const char* const kRemedy = "start training with ringsidectl run, which starts the workers";

constexpr double kMaxTimeoutFactor = 1000;

Problem problem(const std::string& argument, const std::string& message) {
    return {argument, message, kRemedy};
}

}  // namespace

Result<RankEnvironment> parseArguments(int argc, char** argv, const RankChannels& channels) {
    RankEnvironment environment;
    environment.rank = -1;
    environment.worldSize = 0;
    CLI::App app;
    app.set_help_flag();
    app.add_option("--rank", environment.rank);
    app.add_option("--world-size", environment.worldSize);
    app.add_option("--local-rank", environment.localRank);
    app.add_option("--epoch-us", environment.runStartUs);
    app.add_option("--timeout-factor", environment.timeoutFactor)->check(CLI::Range(1.0, kMaxTimeoutFactor));
    app.add_option("--run-dir", environment.runDirectory);
    app.add_option("--backend", environment.backend);
    app.add_option("--device", environment.device);
    app.add_option("--resume", environment.resume);
    app.add_option("--address", environment.address);
    app.add_option("--hosts", environment.hosts)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::NonNegativeNumber);
    if (const auto wrong = readCommandLine(app, argc, argv, kRemedy)) return *wrong;
    if (environment.worldSize < 1) return problem("--world-size", "is missing or below 1");
    if (environment.rank < 0 || environment.rank >= environment.worldSize)
        return problem("--rank",
                       "is missing or not in the interval [0, " + std::to_string(environment.worldSize - 1) + "]");
    if (!environment.hosts.empty() && environment.hosts.size() != static_cast<std::size_t>(environment.worldSize))
        return problem("--hosts", "names the hosts of " + std::to_string(environment.hosts.size()) +
                                      " ranks, but --world-size is " + std::to_string(environment.worldSize));
    if (environment.runDirectory.empty()) return problem("--run-dir", "is missing");
    if (environment.backend.empty()) environment.backend = channels.shared ? "shm" : "gloo";
    if (environment.device.empty()) environment.device = "cpu";
    return environment;
}

Problems checkChannels(const RankEnvironment& environment, const RankChannels& channels) {
    Problems problems;
    const auto need = [&](const UniqueFd& channel, int number, const char* what) {
        if (!channel)
            problems.push_back(problem("descriptor " + std::to_string(number),
                                       std::string("of the ") + what + " channel is not open"));
    };
    need(channels.control, RankChannels::kControlFd, "control");
    need(channels.telemetry, RankChannels::kTelemetryFd, "telemetry");
    const auto backend = choiceNamed<CollectiveBackend>(environment.backend);
    if (backend == CollectiveBackend::kGloo || backend == CollectiveBackend::kNccl)
        need(channels.store, RankChannels::kStoreFd, "store");
    if (backend == CollectiveBackend::kShm) need(channels.shared, RankChannels::kSharedFd, "shared memory");
    return problems;
}

}  // namespace ringside
