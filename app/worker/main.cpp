// SPDX-License-Identifier: Apache-2.0
// ringside-worker: one rank of a run. Started by the supervisor, never by hand.
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>

#include "arguments.h"
#include "base/errors.h"
#include "base/processors.h"
#include "launch/last_words.h"
#include "limit_texts.h"
#include "telemetry/sink.h"
#include "train/control_input.h"
#include "train/rank_run.h"
#include "worker_devices.h"
#include "worker_hooks.h"

using namespace ringside;

namespace {

int exitWith(ExitCode code) {
    return static_cast<int>(code);
}

void setUpProcess() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with a name, not a death
    std::signal(SIGINT, SIG_IGN);   // Ctrl-C reaches the whole process group; the supervisor decides
    giveWayToTheWindow();
}

// Dies with the supervisor: by the kernel's signal, or now if it died before the signal was asked for. Its death also
// ends the control stream.
bool tieToParent(pid_t parent) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

int fail(TelemetrySink& sink, const RankEnvironment& environment, const std::string& text, ExitCode code,
         int missingRank = -1) {
    const std::string rank = "rank " + std::to_string(environment.rank) + ": ";
    std::cerr << (text.starts_with(rank) ? "" : rank) << text << std::endl;
    sink.log("error", text);
    sink.failed(missingRank);
    sink.flush(std::chrono::seconds(1));
    return exitWith(code);
}

// In the thread that reads the channel; the others are in no state to be asked.
[[noreturn]] void leaveCutOff(int rank) {
    const std::string text = "rank " + std::to_string(rank) + ": " + kControlCut + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    _exit(exitWith(ExitCode::kCommunicationFailed));
}

int runWorker(const RankEnvironment& environment, RankChannels& channels) {
    TelemetrySink sink(sinkOptionsOf(environment, channels));
    ControlInput control(channels.control.get(), [&environment] { leaveCutOff(environment.rank); });
    const std::unique_ptr<RankHooks> hooks = makeRankHooks(environment);
    sink.send(RankState{environment.rank, "starting", "", getpid(), sink.nowUs()});
    try {
        return exitWith(runRank(environment, channels, sink, control, *makeWorkerDevices(), hooks.get()));
    } catch (const CommError& error) {
        return fail(sink, environment, error.what(), error.exitCode(), error.missingRank());
    } catch (const Error& error) {
        return fail(sink, environment, error.what(), error.exitCode());
    } catch (const std::bad_alloc&) {
        return fail(sink, environment, outOfMemoryText(), ExitCode::kDeviceFailed);
    } catch (const std::system_error& error) {
        return fail(sink, environment, systemErrorText(error), ExitCode::kDeviceFailed);
    } catch (const std::exception& error) {
        return fail(sink, environment, std::string("unexpected: ") + error.what(), ExitCode::kInternal);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const pid_t parent = getppid();
    setUpProcess();
    if (const std::optional<int> answered = answerDevices(argc, argv)) return *answered;
    RankChannels channels = RankChannels::fromSupervisor();
    const Result<RankEnvironment> environment = parseArguments(argc, argv, channels);
    const Problems problems =
        environment ? checkChannels(environment.value(), channels) : Problems{environment.problem()};
    if (!problems.empty()) {
        std::cerr << "ringside-worker: " << problems.front().text() << std::endl;
        return exitWith(ExitCode::kBadConfiguration);
    }
    if (!tieToParent(parent)) return exitWith(ExitCode::kCommunicationFailed);
    return runWorker(environment.value(), channels);
}
