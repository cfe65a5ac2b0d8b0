// SPDX-License-Identifier: Apache-2.0
#include "run/classroom/classroom_run.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>

#include "base/errors/exit_code.h"
#include "launch/classroom/classroom_guest.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

// Pipe that a test writes to in place of a user or of signalInput().
struct InputPipe {
    UniqueFd reader, writer;
    InputPipe() {
        int fds[2];
        REQUIRE(::pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0);
        reader.reset(fds[0]);
        writer.reset(fds[1]);
    }
    void write(const std::string& text) const { REQUIRE(::write(writer.get(), text.data(), text.size()) > 0); }
};

// Records the calls of a ClassroomRun.
class RecordingObserver final : public ClassroomObserver {
  public:
    void begin(const ClassroomHost&, const std::string&, int wanted) override { m_wanted = wanted; }
    void print(const std::string& sentence) override {
        const std::lock_guard lock(m_mutex);
        m_text += sentence + "\n";
    }
    void runBegins(const std::string&) override {}
    void show(const ClassroomHost&, const ClassroomState& state) override {
        const std::lock_guard lock(m_mutex);
        m_phase = state.phase;
    }
    void showEnd(const std::string& verdict, int) override { m_verdict = verdict; }
    void showFailure(const std::string& verdict) override { m_failure = verdict; }
    void beginTraining() override { ++m_trainings; }
    void showProgress(const RunData&, unsigned) override {}

    std::string text() {
        const std::lock_guard lock(m_mutex);
        return m_text;
    }
    ClassroomPhase phase() {
        const std::lock_guard lock(m_mutex);
        return m_phase;
    }

    // Read after the end of the run.
    int m_wanted = 0;
    std::string m_verdict;
    std::string m_failure;
    std::atomic<int> m_trainings{0};

  private:
    std::mutex m_mutex;
    std::string m_text;
    ClassroomPhase m_phase = ClassroomPhase::kGathering;
};

// Guest that receives the offered files and sends heartbeats in a thread of its own, without a rank.
class QuietGuest {
  public:
    QuietGuest(const JoinCode& code, const std::string& name, const std::filesystem::path& folder) {
        Result<UniqueFd> socket = connectToClassroom(code, name, "1.0", "key of " + name, Clock::now() + 5s);
        REQUIRE(socket.ok());
        m_thread = std::thread([this, socket = std::move(socket).value(), folder]() mutable {
            ClassroomGuest guest(std::move(socket), folder, 1 << 20);
            for (auto beat = Clock::now(); !m_over;) {
                pollfd waiting{guest.fd(), POLLIN, 0};
                ::poll(&waiting, 1, 20);
                const bool isOpen = guest.read();
                while (const auto line = guest.next()) {  // also what arrived together with the end of the connection
                    if (line->kind == ClassroomLine::Kind::kStart) m_rank = line->start.rank;
                }
                if (!isOpen) return;
                if (Clock::now() < beat) continue;
                beat = Clock::now() + 1s;
                guest.send({ClassroomLine::Kind::kHere, "idle"});
            }
        });
    }
    ~QuietGuest() {
        m_over = true;
        m_thread.join();
    }
    int rank() const { return m_rank; }

  private:
    std::atomic<bool> m_over{false};
    std::atomic<int> m_rank{-1};
    std::thread m_thread;
};

// Classroom on this computer whose training is replaced by a list of outcomes.
struct Classroom {
    TemporaryDirectory scratch;
    ClassroomHost host{{"127.0.0.1", 0, "1.0", "key", 8}};
    RecordingObserver observer;
    InputPipe input, signals;
    ClassroomPlan plan;
    std::vector<ClassroomOutcome> outcomes;  // outcome of each start; the last one is repeated
    std::vector<ClassroomTraining> starts;   // read after the end of the run
    std::function<void()> beforeOutcome;     // called at the end of each training, by its thread
    bool waitsForStop = false;               // true: a training lasts until its stop is requested
    std::map<std::string, std::unique_ptr<QuietGuest>> guests;
    std::future<int> result;

    explicit Classroom(Words assignments) {
        Problems problems;
        Result<Experiment> experiment = loadExperiment("", assignments, problems);
        REQUIRE(experiment.ok());
        REQUIRE(host.listen().empty());
        plan.experiment = std::move(experiment).value();
        plan.out = scratch.path() / "run";
        plan.name = "host";
        plan.maxBytes = 1 << 20;
        plan.program = "1.0";
    }
    ~Classroom() {
        if (!result.valid()) return;
        input.writer.reset();
        signals.writer.reset();
        guests.clear();
    }
    void join(const std::string& name) {
        guests[name] = std::make_unique<QuietGuest>(code, name, scratch.path() / name);
    }
    void open() {
        code = host.code();
        result = std::async(std::launch::async, [this] {
            return ClassroomRun(
                       plan, host, observer,
                       [this](const ClassroomPlan&, ClassroomTraining training) { return train(std::move(training)); })
                .run(input.reader.get(), signals.reader.get());
        });
    }
    ClassroomOutcome train(ClassroomTraining training) {
        pollfd stop{training.stopFd, POLLIN, 0};
        const bool stopped = waitsForStop && ::poll(&stop, 1, 10000) > 0;
        starts.push_back(std::move(training));
        if (stopped) return {RunOutcome::kStopped, "stopped by request", static_cast<int>(ExitCode::kStopped)};
        if (beforeOutcome) beforeOutcome();
        return outcomes[std::min(starts.size(), outcomes.size()) - 1];
    }
    int end() { return result.wait_for(20s) == std::future_status::ready ? result.get() : -1; }
    bool eventually(const std::function<bool()>& holds) const {
        for (const auto until = Clock::now() + 10s; Clock::now() < until; std::this_thread::sleep_for(5ms)) {
            if (holds()) return true;
        }
        return false;
    }
    bool hasPrinted(const std::string& text) {
        return eventually([&] { return observer.text().find(text) != std::string::npos; });
    }

    JoinCode code;
};

ClassroomOutcome finished() {
    return {RunOutcome::kFinished, "finished", 0};
}

ClassroomOutcome failed(ExitCode code, int rank) {
    return {RunOutcome::kFailed, "rank " + std::to_string(rank) + " failed", static_cast<int>(code), rank};
}

}  // namespace

TEST_CASE("a classroom starts its ranks as soon as all members are ready") {
    Classroom classroom({"parallel.world_size=3"});
    classroom.outcomes = {finished()};
    classroom.open();
    classroom.join("Ada");
    classroom.join("Bob");
    CHECK(classroom.end() == 0);
    CHECK(classroom.observer.m_wanted == 3);
    CHECK(classroom.observer.m_verdict == "finished");
    CHECK(classroom.observer.m_failure.empty());
    CHECK(classroom.observer.m_trainings == 1);
    REQUIRE(classroom.starts.size() == 1);
    CHECK(classroom.starts[0].layout.worldSize == 3);
    CHECK(classroom.starts[0].layout.hosts.front() == "host");
    CHECK(classroom.starts[0].layout.hosts.size() == 3);
    CHECK((classroom.starts[0].restarts == 0 && classroom.starts[0].resume.empty()));
    CHECK(classroom.starts[0].terms.program == "1.0");
    // A guest may read its rank after the host has ended.
    CHECK(classroom.eventually([&] { return classroom.guests["Ada"]->rank() + classroom.guests["Bob"]->rank() == 3; }));
}

TEST_CASE("an empty line starts a classroom with the members that are ready") {
    Classroom classroom({"parallel.world_size=4"});
    classroom.outcomes = {finished()};
    classroom.open();
    classroom.input.write("\n");
    CHECK(classroom.hasPrinted("no computer is ready yet"));
    classroom.join("Ada");
    REQUIRE(classroom.eventually([&] {
        classroom.input.write("start\n");
        return !classroom.observer.text().empty() && classroom.observer.m_trainings == 1;
    }));
    CHECK(classroom.end() == 0);
    REQUIRE(classroom.starts.size() == 1);
    CHECK(classroom.starts[0].layout.worldSize == 2);
}

TEST_CASE("a classroom restarts after a failure, at most parallel.max_restarts times") {
    Classroom classroom({"parallel.world_size=2", "parallel.max_restarts=1"});
    classroom.outcomes = {failed(ExitCode::kRankDied, 0)};
    classroom.open();
    classroom.join("Ada");
    CHECK(classroom.end() == static_cast<int>(ExitCode::kRankDied));
    CHECK(classroom.hasPrinted("waiting for 1 computer to reconnect"));
    REQUIRE(classroom.starts.size() == 2);
    CHECK((classroom.starts[0].restarts == 0 && classroom.starts[1].restarts == 1));
    CHECK(classroom.starts[1].layout.restart == 1);
    CHECK(classroom.starts[0].terms.token != classroom.starts[1].terms.token);
    CHECK(classroom.observer.m_failure == "rank 0 failed");
}

TEST_CASE("a stop while a classroom waits for lost members is reported as a failure of the run") {
    Classroom classroom({"parallel.world_size=2", "parallel.max_restarts=1"});
    classroom.outcomes = {failed(ExitCode::kRankDied, 1)};
    classroom.beforeOutcome = [&] { classroom.guests.clear(); };
    classroom.open();
    classroom.join("Ada");
    REQUIRE(classroom.hasPrinted("waiting for 1 computer to reconnect"));
    classroom.input.write("stop\n");
    CHECK(classroom.end() == static_cast<int>(ExitCode::kStopped));
    CHECK(classroom.observer.m_verdict == "the classroom was closed before the run started again");
    CHECK(classroom.observer.m_failure == classroom.observer.m_verdict);
}

TEST_CASE("a wrong configuration of the host is not repeated") {
    Classroom classroom({"parallel.world_size=2", "parallel.max_restarts=5"});
    classroom.outcomes = {failed(ExitCode::kBadConfiguration, 0)};
    classroom.open();
    classroom.join("Ada");
    CHECK(classroom.end() == static_cast<int>(ExitCode::kBadConfiguration));
    CHECK(classroom.starts.size() == 1);
}

TEST_CASE("a guest whose rank sent invalid data is removed, and the classroom continues without it") {
    Classroom classroom({"parallel.world_size=3", "parallel.max_restarts=1", "parallel.min_ranks=2"});
    ClassroomOutcome misuse = failed(ExitCode::kCommunicationFailed, 1);
    misuse.isMisuse = true;
    classroom.outcomes = {misuse, finished()};
    classroom.open();
    classroom.join("Ada");
    classroom.join("Bob");
    REQUIRE(classroom.hasPrinted("waiting for 2 computers to reconnect, or until at least 2 ranks are connected"));
    REQUIRE(classroom.eventually([&] {
        classroom.input.write("\n");
        return classroom.observer.m_trainings == 2;
    }));
    CHECK(classroom.end() == 0);
    CHECK(classroom.hasPrinted("sent a line that a rank never sends"));
    CHECK(classroom.hasPrinted("the samples after the last complete epoch are assigned to 2 ranks instead of 3"));
    REQUIRE(classroom.starts.size() == 2);
    REQUIRE(classroom.starts[1].layout.hosts.size() == 2);
    CHECK(classroom.starts[1].layout.hosts[1] == classroom.starts[0].layout.hosts[2]);
}

TEST_CASE("a stop closes a classroom that waits, and stops a run in progress") {
    const auto code = static_cast<int>(ExitCode::kStopped);
    Classroom waiting({"parallel.world_size=2"});
    waiting.open();
    waiting.input.write("stop\n");
    CHECK(waiting.end() == code);
    CHECK(waiting.observer.m_verdict == "the classroom was closed before the run started");
    CHECK(waiting.observer.m_failure == waiting.observer.m_verdict);
    CHECK(waiting.observer.m_trainings == 0);

    Classroom running({"parallel.world_size=2", "parallel.max_restarts=5"});
    running.waitsForStop = true;
    running.open();
    running.join("Ada");
    REQUIRE(running.eventually([&] { return running.observer.phase() == ClassroomPhase::kRunning; }));
    running.signals.write("a signal");
    CHECK(running.end() == code);
    CHECK(running.starts.size() == 1);
}

TEST_CASE("the end of the input closes a classroom only if stopsAtEndOfInput is set") {
    Classroom program({"parallel.world_size=2"});
    program.plan.stopsAtEndOfInput = true;
    program.open();
    program.input.writer.reset();
    CHECK(program.end() == static_cast<int>(ExitCode::kStopped));

    Classroom terminal({"parallel.world_size=2"});
    terminal.outcomes = {finished()};
    terminal.open();
    terminal.input.writer.reset();
    terminal.join("Ada");
    CHECK(terminal.end() == 0);
}

TEST_CASE("a classroom without its checkpoint ends before it opens") {
    Classroom classroom({"parallel.world_size=2", "training.resume=/no/such/checkpoint"});
    classroom.open();
    CHECK(classroom.end() == static_cast<int>(ExitCode::kBadConfiguration));
    CHECK(classroom.observer.m_wanted == 0);
    CHECK_FALSE(classroom.observer.m_failure.empty());
}

TEST_CASE("a relative checkpoint is below the folder of the experiment file") {
    Classroom classroom({"parallel.world_size=2", "training.resume=first"});
    classroom.plan.experiment.baseDirectory = "/no/such/folder";
    classroom.open();
    CHECK(classroom.end() == static_cast<int>(ExitCode::kBadConfiguration));
    CHECK(classroom.observer.m_failure.find("/no/such/folder/first") != std::string::npos);
}
