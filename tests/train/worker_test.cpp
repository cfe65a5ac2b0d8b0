// SPDX-License-Identifier: Apache-2.0
// Tests of ringside-worker as a process, started as a supervisor starts it.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/system/files.h"
#include "base/system/unique_fd.h"
#include "config/run_config.h"
#include "launch/channels/rank_channels.h"
#include "launch/channels/shared_memory.h"
#include "support/catch.h"
#include "support/places.h"
#include "support/temporary_directory.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

constexpr int kPatienceMs = 30'000;
const std::string kWorker = builtProgram("ringside-worker");

// One worker with the descriptors of run/rank_environment.h. The destructor kills it if it still runs.
class Worker {
  public:
    Worker(const std::filesystem::path& runDirectory, int rank, int worldSize, int sharedFd) {
        auto [controlNear, controlFar] = stream();
        auto [telemetryNear, telemetryFar] = stream();
        m_control = std::move(controlNear);
        m_telemetry = std::move(telemetryNear);
        const std::vector<std::string> words{kWorker,
                                             "--rank",
                                             std::to_string(rank),
                                             "--world-size",
                                             std::to_string(worldSize),
                                             "--run-dir",
                                             runDirectory.string(),
                                             "--epoch-us",
                                             "0"};
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        m_pid = fork();
        REQUIRE(m_pid >= 0);
        if (m_pid == 0) become(arguments, controlFar.get(), telemetryFar.get(), sharedFd);
    }
    ~Worker() {
        if (m_pid > 0) {
            kill(m_pid, SIGKILL);
            waitpid(m_pid, nullptr, 0);
        }
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void sendText(const std::string& line) const {
        REQUIRE(write(m_control.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    }
    void hangUp() { m_control.reset(); }

    // Reads events until `enough` returns true or the stream ends; fails if the worker sends nothing.
    template <class Enough>
    void readUntil(Enough enough) {
        char bytes[65536];
        for (bool done = false; !done;) {
            pollfd watched{m_telemetry.get(), POLLIN, 0};
            REQUIRE(poll(&watched, 1, kPatienceMs) == 1);
            const ssize_t got = read(m_telemetry.get(), bytes, sizeof bytes);
            if (got <= 0) return;
            m_decoder.feed({bytes, static_cast<std::size_t>(got)}, [&](Event&& event) {
                done = done || enough(event);
                m_events.push_back(std::move(event));
            });
        }
    }
    // Reads the telemetry to its end and returns the exit code; -signal if a signal ended the worker.
    int finish() {
        readUntil([](const Event&) { return false; });
        int status = 0;
        REQUIRE(waitpid(m_pid, &status, 0) == m_pid);
        m_pid = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    template <class T>
    std::vector<T> all() const {
        std::vector<T> found;
        for (const Event& event : m_events)
            if (const T* match = std::get_if<T>(&event)) found.push_back(*match);
        return found;
    }
    bool reached(const std::string& state) const {
        for (const RankState& change : all<RankState>())
            if (nameOf(change.state) == state) return true;
        return false;
    }
    std::int64_t badLines() const { return m_decoder.badLines(); }

  private:
    static std::pair<UniqueFd, UniqueFd> stream() {
        int fds[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
        return {UniqueFd(fds[0]), UniqueFd(fds[1])};
    }

    // Runs in the child and starts the worker. First copies the descriptors to numbers from 100 on, so that they do not
    // occupy the target numbers, and then to the target numbers, which clears close-on-exec.
    [[noreturn]] static void become(const std::vector<char*>& arguments, int control, int telemetry, int shared) {
        const int parked[3] = {fcntl(control, F_DUPFD_CLOEXEC, 100), fcntl(telemetry, F_DUPFD_CLOEXEC, 100),
                               fcntl(shared, F_DUPFD_CLOEXEC, 100)};
        dup2(parked[0], RankChannels::kControlFd);
        dup2(parked[1], RankChannels::kTelemetryFd);
        dup2(parked[2], RankChannels::kSharedFd);
        execv(arguments[0], arguments.data());
        _exit(127);
    }

    UniqueFd m_control;
    UniqueFd m_telemetry;
    Decoder m_decoder;
    std::vector<Event> m_events;
    pid_t m_pid = -1;
};

struct Fixture {
    explicit Fixture(const RunConfig& config)
        : shared(createSharedMemory(sharedMemoryBytes(static_cast<int>(config.parallel.worldSize)))) {
        writeFileAtomically(directory.path() / "config.json", config.toText());
    }
    TemporaryDirectory directory;
    UniqueFd shared;
};

RunConfig digits(std::int64_t worldSize, std::int64_t epochs) {
    RunConfig config;
    config.parallel.worldSize = worldSize;
    config.training.epochs = epochs;
    return config;
}

}  // namespace

TEST_CASE("a manually started worker explains how to start it") {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((kWorker + " 2>&1").c_str(), "r"), pclose);
    char line[512] = {};
    REQUIRE(fgets(line, sizeof line, pipe.get()));
    CHECK(std::string(line).find("start training with ringsidectl run") != std::string::npos);
}

TEST_CASE("two workers train together and report it") {
    const Fixture fixture(digits(2, 2));
    Worker zero(fixture.directory.path(), 0, 2, fixture.shared.get());
    Worker one(fixture.directory.path(), 1, 2, fixture.shared.get());
    CHECK(zero.finish() == 0);
    CHECK(one.finish() == 0);

    CHECK(zero.badLines() == 0);
    CHECK(zero.all<EpochResult>().size() == 4);  // results of training and validation in two epochs
    CHECK(zero.all<CheckpointSaved>().size() == 1);
    CHECK(zero.reached("finished"));
    for (const Worker* worker : {&zero, &one}) {
        std::size_t steps = 0;
        for (const StepsFrame& frame : worker->all<StepsFrame>()) steps += frame.step.size();
        CHECK(steps == 46);  // ceil(719 / 32) in each of two epochs
        CHECK(worker->all<Consumed>().size() == 2);
    }
    CHECK(zero.all<Replica>().back().hash == one.all<Replica>().back().hash);
    CHECK(std::filesystem::exists(fixture.directory.path() / "checkpoints/step-00000046/manifest.json"));
}

TEST_CASE("a stop line ends both workers with the code for a requested stop") {
    const Fixture fixture(digits(2, 1'000'000));
    Worker zero(fixture.directory.path(), 0, 2, fixture.shared.get());
    Worker one(fixture.directory.path(), 1, 2, fixture.shared.get());
    zero.readUntil([](const Event& event) { return std::holds_alternative<StepsFrame>(event); });
    zero.sendText("{\"kind\":\"stop\"}\n");
    CHECK(zero.finish() == static_cast<int>(ExitCode::kStopped));
    CHECK(one.finish() == static_cast<int>(ExitCode::kStopped));
    CHECK(zero.all<CheckpointSaved>().size() == 1);
}

TEST_CASE("a worker exits at once when its control stream ends") {
    const Fixture fixture(digits(1, 1'000'000));
    Worker worker(fixture.directory.path(), 0, 1, fixture.shared.get());
    worker.readUntil([](const Event& event) { return std::holds_alternative<StepsFrame>(event); });
    worker.hangUp();
    CHECK(worker.finish() == static_cast<int>(ExitCode::kCommunicationFailed));
}

TEST_CASE("a rank names a peer that never connects and exits with the code for communication") {
    RunConfig config = digits(2, 1);
    config.parallel.timeoutSeconds = 1;
    const Fixture fixture(config);
    Worker worker(fixture.directory.path(), 0, 2, fixture.shared.get());
    CHECK(worker.finish() == static_cast<int>(ExitCode::kCommunicationFailed));
    CHECK(worker.reached("failed"));
    REQUIRE_FALSE(worker.all<LogLine>().empty());
    CHECK(worker.all<LogLine>().back().text.find("rank 1") != std::string::npos);
}

TEST_CASE("a learning rate that diverges ends with the code for bad configuration") {
    RunConfig config = digits(1, 1);
    config.optimizer.lr = 1e6;
    config.optimizer.weightDecay = 1;  // every step multiplies the weights by about -1e6
    const Fixture fixture(config);
    Worker worker(fixture.directory.path(), 0, 1, fixture.shared.get());
    CHECK(worker.finish() == static_cast<int>(ExitCode::kBadConfiguration));
    REQUIRE_FALSE(worker.all<LogLine>().empty());
    CHECK(worker.all<LogLine>().back().text.find("lower optimizer.lr") != std::string::npos);
}
