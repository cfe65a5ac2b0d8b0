// SPDX-License-Identifier: Apache-2.0
// ringside-worker: one rank of a run, started by a supervisor with its channels or by a launcher with an experiment.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>

#include "arguments.h"
#include "base/errors/exit_code.h"
#include "base/processors/processors.h"
#include "launch/layout/last_words.h"
#include "launch/layout/rank_environment.h"
#include "launched_rank.h"
#include "rank_life.h"
#include "worker_devices.h"

using namespace ringside;

namespace {

int exitWith(ExitCode code) {
    return static_cast<int>(code);
}

void setUpProcess() {
    std::signal(SIGPIPE, SIG_IGN);
    // A write beyond the file size limit (ulimit -f) then fails with an error instead of ending the process.
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGINT, SIG_IGN);  // Ctrl-C reaches all processes of the group; the supervisor reacts
    lowerPriority();
}

// Makes the kernel send SIGKILL to this process when the supervisor ends. Returns false if the supervisor ended before
// this call.
bool tieToParent(pid_t parent) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

// Ends this process after the supervisor has closed the control channel. Runs in the thread that reads the channel. No
// destructors run, because other threads can be blocked.
[[noreturn]] void leaveCutOff(int rank) {
    const std::string text = "rank " + std::to_string(rank) + ": " + kControlCut + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    _exit(exitWith(ExitCode::kCommunicationFailed));
}

int runSupervised(int argc, char** argv, pid_t parent) {
    std::signal(SIGUSR1, SIG_IGN);  // Slurm sends SIGUSR1 as a warning to every process of a step
    if (std::getenv(kLaunchedVariable) != nullptr) std::signal(SIGTERM, SIG_IGN);
    RankChannels channels = RankChannels::fromSupervisor();
    const Result<RankEnvironment> environment = parseArguments(argc, argv, channels);
    const Problems problems =
        environment ? checkChannels(environment.value(), channels) : Problems{environment.problem()};
    if (!problems.empty()) {
        std::cerr << "ringside-worker: " << problems.front().text() << std::endl;
        return exitWith(ExitCode::kBadConfiguration);
    }
    if (!tieToParent(parent)) return exitWith(ExitCode::kCommunicationFailed);
    const auto leave = [rank = environment.value().rank] { leaveCutOff(rank); };
    return runAsRank(environment.value(), std::nullopt, channels, leave).exitCode;
}

}  // namespace

int main(int argc, char** argv) {
    const pid_t parent = getppid();
    setUpProcess();
    if (const std::optional<int> answered = printDevicesIfAsked(argc, argv)) return *answered;
    if (isLaunched(argc, argv)) return runLaunched(argc, argv, parent);
    return runSupervised(argc, argv, parent);
}
