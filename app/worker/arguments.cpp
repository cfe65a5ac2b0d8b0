// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "config/choices.h"

namespace ringside {

namespace {

const char* const kRemedy = "start training with ringsidectl run, which starts the workers";

constexpr double kMostTimeoutFactor = 1000;

Problem problem(const std::string& argument, const std::string& message) {
    return {argument, message, kRemedy};
}

template <class T>
bool parseNumber(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

bool parseHosts(std::string_view list, std::vector<int>& hosts) {
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        int host = 0;
        if (!parseNumber(list.substr(at, comma - at), host) || host < 0) return false;
        hosts.push_back(host);
        at = comma + 1;
    }
    return true;
}

bool setField(RankEnvironment& environment, std::string_view name, std::string_view value) {
    if (name == "--rank") return parseNumber(value, environment.rank);
    if (name == "--world-size") return parseNumber(value, environment.worldSize);
    if (name == "--local-rank") return parseNumber(value, environment.localRank);
    if (name == "--epoch-us") return parseNumber(value, environment.epochUs);
    if (name == "--timeout-factor")
        return parseNumber(value, environment.timeoutFactor) && environment.timeoutFactor >= 1 &&
               environment.timeoutFactor <= kMostTimeoutFactor;
    if (name == "--run-dir")
        environment.runDirectory = value;
    else if (name == "--backend")
        environment.backend = value;
    else if (name == "--device")
        environment.device = value;
    else if (name == "--resume")
        environment.resume = value;
    else if (name == "--address")
        environment.address = value;
    else if (name == "--hosts")
        return parseHosts(value, environment.hosts);
    else
        return false;
    return !value.empty();
}

}  // namespace

Result<RankEnvironment> parseArguments(int argc, char** argv, const RankChannels& channels) {
    RankEnvironment environment;
    environment.rank = -1;
    environment.worldSize = 0;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 >= argc) return problem(argv[i], "has no value");
        if (!setField(environment, argv[i], argv[i + 1]))
            return problem(argv[i],
                           "is not an argument of the worker, or cannot be \"" + std::string(argv[i + 1]) + "\"");
    }
    if (environment.worldSize < 1) return problem("--world-size", "is missing or below 1");
    if (environment.rank < 0 || environment.rank >= environment.worldSize)
        return problem("--rank",
                       "is missing or not in the interval [0, " + std::to_string(environment.worldSize - 1) + "]");
    if (!environment.hosts.empty() && environment.hosts.size() != static_cast<std::size_t>(environment.worldSize))
        return problem("--hosts", "names the hosts of " + std::to_string(environment.hosts.size()) + " ranks");
    if (environment.runDirectory.empty()) return problem("--run-dir", "is missing");
    if (environment.backend.empty()) environment.backend = channels.shared ? "shm" : "gloo";
    if (environment.device.empty()) environment.device = "cpu";
    return environment;
}

Problems checkChannels(const RankEnvironment& environment, const RankChannels& channels) {
    Problems problems;
    const auto need = [&](const UniqueFd& channel, int number, const char* what) {
        if (!channel)
            problems.push_back(
                problem("descriptor " + std::to_string(number), std::string("(") + what + ") is not open"));
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
