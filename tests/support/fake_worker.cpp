// SPDX-License-Identifier: Apache-2.0
// Worker that trains nothing. It follows run/rank_environment.h, reports FAKE_STEPS steps, and then injects the faults
// in FAKE_WORKER, "2:kill,0:exit=3" (rank:fault). Ranks that are not listed wait until the run is stopped.
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>

#include "base/json/json.h"
#include "base/system/files.h"
#include "run/checkpoint/checkpoint_manifest.h"

#include "launch/channels/rank_channels.h"
#include "telemetry/events/codec.h"
#include "telemetry/events/sink.h"

using namespace ringside;

namespace {

constexpr int kStopped = 20;

std::string argument(int argc, char** argv, const std::string& name) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (argv[i] == name) return argv[i + 1];
    }
    return {};
}

std::string deedOf(int rank) {
    const char* all = std::getenv("FAKE_WORKER");
    std::string rest = all != nullptr ? all : "";
    while (!rest.empty()) {
        const std::string one = rest.substr(0, rest.find(','));
        rest.erase(0, one.size() + (one.size() < rest.size() ? 1 : 0));
        const std::size_t colon = one.find(':');
        const std::string who = one.substr(0, colon);
        if (colon != std::string::npos && (who == "*" || who == std::to_string(rank))) return one.substr(colon + 1);
    }
    return "wait";
}

// Returns the word shared by all ranks, which is 1 after rank 0 has received a stop request.
std::atomic<int>* sharedWord() {
    void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, RankChannels::kSharedFd, 0);
    if (memory == MAP_FAILED) std::_Exit(11);
    return static_cast<std::atomic<int>*>(memory);
}

void waitForStop(int rank) {
    std::atomic<int>* word = sharedWord();
    char line[256];
    if (rank == 0) {
        if (::read(RankChannels::kControlFd, line, sizeof line) <= 0) std::_Exit(10);
        word->store(1);
        ::syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
        return;
    }
    while (word->load() == 0) ::syscall(SYS_futex, word, FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

int steps() {
    const char* text = std::getenv("FAKE_STEPS");
    return text != nullptr ? std::atoi(text) : 8;
}

std::string runDirectory;
std::string resumedFrom;

// Saves a complete checkpoint after `step` steps, 4 of which are an epoch.
void saveCheckpoint(const std::string& run, int step) {
    const std::filesystem::path directory = std::filesystem::path(run) / "checkpoints" / "step-00000001";
    std::filesystem::create_directories(directory);
    CheckpointManifest manifest;
    manifest.step = step;
    manifest.epochsDone = step / 4;
    writeFileAtomically(directory / kManifestName, manifest.toJson().dump());
}

int finish(int rank, int step, TelemetrySink& sink) {
    if (rank == 0) saveCheckpoint(runDirectory, step);
    sink.state(RankStage::kFinished);
    return 0;
}

void reportSteps(TelemetrySink& sink, int rank) {
    const int count = steps();
    sink.state(RankStage::kTraining, "fake CPU");
    for (int step = 1; step <= count; ++step) {
        StepRecord record;
        record.step = step;
        record.epoch = (step - 1) / 4;
        record.loss = step + rank;
        record.correct = rank;
        record.samples = 4;
        record.endUs = sink.nowUs();
        record.learningRate = 0.5;
        sink.step(record);
        sink.progress().step = step;
        sink.progress().epoch = record.epoch;
        if (step % 4 == 0 && rank == 0) {
            EpochResult result;
            result.epoch = record.epoch;
            result.step = step;
            result.loss = result.lossPadded = 1.0 / step;
            result.accuracy = 0.25 * step / 4;
            result.accuracyPadded = 0.125;
            result.samples = 10;
            result.samplesPadded = 12;
            result.timeUs = sink.nowUs();
            for (SplitKind split : {SplitKind::kTrain, SplitKind::kValidation}) {
                result.split = split;
                sink.send(result);
            }
        }
    }
    sink.flush(std::chrono::seconds(5));
}

void writeGarbage(int rank) {
    const std::string lines = "garbage\n{\"kind\":\"dance\"}\n" +
                              encode(LogLine{rank + 1, LogLevel::kInfo, "not me", 0}) + encode(RunEnded{}) +
                              std::string(1000, '\xff') + "\n";
    [[maybe_unused]] const ssize_t written = ::write(RankChannels::kTelemetryFd, lines.data(), lines.size());
}

int act(const std::string& deed, int rank, TelemetrySink& sink) {
    if (deed == "kill") ::raise(SIGKILL);
    if (deed == "segv") {
        std::signal(SIGSEGV, SIG_DFL);  // removes the signal handler of a sanitizer
        ::raise(SIGSEGV);
    }
    if (deed == "stop-itself") ::raise(SIGSTOP);
    if (deed == "finish") return finish(rank, steps(), sink);
    if (deed == "saves-and-dies-once") {
        if (resumedFrom.empty()) {
            saveCheckpoint(runDirectory, 4);
            ::raise(SIGKILL);
        }
        std::fprintf(stderr, "resumed from %s\n", resumedFrom.c_str());
        return finish(rank, steps(), sink);
    }
    if (deed == "executes-commands-and-dies-once") {
        if (resumedFrom.empty()) {
            saveCheckpoint(runDirectory, 4);
            sink.send(Controlled{ControlKind::kEpochs, 3, 5, 1, {}, sink.nowUs()});
            sink.send(Controlled{ControlKind::kPause, 0, 6, 1, Phase::kOptimizer, sink.nowUs()});
            sink.flush(std::chrono::seconds(5));
            ::raise(SIGKILL);
        }
        std::string received;
        for (char byte = 0; received.find("pause") == std::string::npos;) {
            if (::read(RankChannels::kControlFd, &byte, 1) <= 0) return 10;
            received += byte == '\n' ? ' ' : byte;
        }
        std::fprintf(stderr, "RINGSIDE_EPOCHS is %s, received %s\n", std::getenv("RINGSIDE_EPOCHS"), received.c_str());
        return finish(rank, 12, sink);
    }
    if (deed == "garbage") {
        writeGarbage(rank);
        return finish(rank, steps(), sink);
    }
    if (deed == "finish-and-delete") {
        saveCheckpoint(runDirectory, steps());
        std::filesystem::remove_all(runDirectory);
        return finish(1, steps(), sink);
    }
    if (deed == "leave") return 0;
    if (deed == "lie") return finish(1, steps(), sink);  // reports that it has finished, but saves nothing
    if (deed == "claims-checkpoint") {
        sink.send(CheckpointSaved{8, "/elsewhere/checkpoints/step-00000008", sink.nowUs()});
        return finish(rank, steps(), sink);
    }
    if (deed == "saves-beside") {
        const std::string place = std::getenv("FAKE_PLACE");
        saveCheckpoint(place, steps());
        sink.send(CheckpointSaved{steps(), place + "/checkpoints/step-00000001", sink.nowUs()});
        sink.flush(std::chrono::seconds(5));
        std::fprintf(stderr, "rank %d: the weights are saved in %s\n", rank, place.c_str());
        return 2;
    }
    if (deed.rfind("exit=", 0) == 0) {
        std::fprintf(stderr, "first line\nrank %d: something broke\n", rank);
        return std::atoi(deed.c_str() + 5);
    }
    if (deed.rfind("misses=", 0) == 0) {
        std::fprintf(stderr, "rank %d: rank %s did not reach collective 7 (all-reduce of 3 floats) within 1 s\n", rank,
                     deed.c_str() + 7);
        sink.failed(std::atoi(deed.c_str() + 7));
        sink.flush(std::chrono::seconds(1));
        return 10;
    }
    if (deed.rfind("stands-in=", 0) == 0) {
        sink.progress().phase.enter(phaseNamed(deed.substr(10)).value_or(Phase::kIdle));
        for (;;) ::pause();  // only the heartbeats continue
    }
    if (deed == "ignore-stop") {
        std::signal(SIGTERM, SIG_IGN);
        for (;;) ::pause();
    }
    waitForStop(rank);
    if (deed == "slowly-stops") ::poll(nullptr, 0, 1000);
    if (rank == 0) saveCheckpoint(runDirectory, steps());
    sink.state(RankStage::kStopped);
    return kStopped;
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    const int rank = std::atoi(argument(argc, argv, "--rank").c_str());
    runDirectory = argument(argc, argv, "--run-dir");
    resumedFrom = argument(argc, argv, "--resume");
    const std::string deed = deedOf(rank);
    if (deed == "silent") {
        for (;;) ::pause();
    }
    SinkOptions options;
    options.fd = RankChannels::kTelemetryFd;
    options.rank = rank;
    options.heartbeatInterval = std::chrono::milliseconds(100);
    options.runStartUs = std::atoll(argument(argc, argv, "--epoch-us").c_str());
    TelemetrySink sink(options);
    if (deed == "loads") {
        sink.state(RankStage::kLoading);
        for (;;) ::pause();
    }
    reportSteps(sink, rank);
    try {
        return act(deed, rank, sink);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: cannot save: %s\n", rank, error.what());
        return 2;
    }
}
