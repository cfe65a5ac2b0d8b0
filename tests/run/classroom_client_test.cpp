// SPDX-License-Identifier: Apache-2.0
#include "run/classroom/classroom_client.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "base/errors/exit_code.h"
#include "config/run_config.h"
#include "launch/classroom/classroom_host.h"
#include "run/prepare/classroom_data.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

// Records the calls of a ClassroomClient.
class RecordingView final : public ClassroomClientObserver {
  public:
    void report(GuestEvent event, const std::string& text, std::int64_t number) override {
        add(textOf(event) + ": " + text + (number == 0 ? "" : " (" + std::to_string(number) + ")"));
    }
    void printRankLine(std::string_view line) override { add("line: " + std::string(line)); }
    void showConnectFailure(const Problem& problem) override { add("no connection: " + problem.text()); }
    void showRefusal(const Problem& problem) override { add("refused: " + problem.text()); }
    std::string text() {
        const std::lock_guard lock(m_mutex);
        return m_text;
    }

  private:
    void add(const std::string& line) {
        const std::lock_guard lock(m_mutex);
        m_text += line + "\n";
    }
    std::mutex m_mutex;
    std::string m_text;
};

// One guest and the host of its classroom, which a thread polls.
struct Lesson {
    TemporaryDirectory scratch;
    ClassroomHost host{{"127.0.0.1", 0, "1.0", "key", 4}};
    RecordingView view;
    ClientSettings settings;
    UniqueFd signalReader, signalWriter;
    std::atomic<bool> over{false};
    std::function<void()> once;  // called by the thread of the host as soon as a member is ready
    std::thread thread;

    Lesson() {
        int fds[2];
        REQUIRE(::pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0);
        signalReader.reset(fds[0]);
        signalWriter.reset(fds[1]);
        REQUIRE(host.listen().empty());
        settings = {host.code(), "Ada", "/bin/false", scratch.path() / "folder", 1 << 20, "1.0"};
    }
    ~Lesson() {
        over = true;
        if (thread.joinable()) thread.join();
    }
    void open() {
        thread = std::thread([this] {
            while (!over) {
                std::vector<pollfd> waiting;
                host.addInterests(waiting);
                ::poll(waiting.data(), waiting.size(), 10);
                host.poll(Clock::now());
                if (once && !host.readyMembers(Clock::now()).empty()) std::exchange(once, nullptr)();
            }
        });
    }
    int run() { return ClassroomClient(settings, view).run(signalReader.get()); }
    bool hasPrinted(const std::string& text) { return view.text().find(text) != std::string::npos; }
};

ClassroomOffer offerOf(const RunConfig& config) {
    Result<ClassroomData> data = gatherClassroomData(classConfig(config, 2), {}, 1 << 20);
    REQUIRE(data.ok());
    return data.value().offer;
}

}  // namespace

TEST_CASE("a guest joins, runs its rank and ends with the exit code of the classroom") {
    Lesson lesson;
    lesson.settings.worker = lesson.scratch.path() / "worker";
    std::ofstream(lesson.settings.worker) << "#!/bin/sh\necho the rank \"$3\" of \"$5\" failed\nexit 7\n";
    fs::permissions(lesson.settings.worker, fs::perms::owner_all);
    lesson.host.offer(offerOf({}), {});
    lesson.once = [&] { lesson.host.start(lesson.host.readyMembers(Clock::now())); };
    lesson.open();
    auto result = std::async(std::launch::async, [&] { return lesson.run(); });
    for (const auto until = Clock::now() + 10s; !lesson.hasPrinted("ended: ") && Clock::now() < until;)
        std::this_thread::sleep_for(5ms);
    CHECK(lesson.hasPrinted("joined: joined as Ada\n"));
    CHECK(lesson.hasPrinted("rank: rank 1 of 2 (1)\n"));
    CHECK(lesson.hasPrinted("line: the rank 1 of 2 failed\n"));
    CHECK(lesson.hasPrinted("ended: the rank of this computer has ended: the rank 1 of 2 failed (7)\n"));
    lesson.over = true;
    lesson.thread.join();
    lesson.host.close("rank 1 failed", 12, 2s);
    REQUIRE(result.wait_for(10s) == std::future_status::ready);
    CHECK(result.get() == 12);
    CHECK(lesson.hasPrinted("over: rank 1 failed (12)\n"));
}

TEST_CASE("a guest with a wrong code ends at once") {
    Lesson lesson;
    lesson.open();
    lesson.settings.code.token = std::string(32, '0');
    CHECK(lesson.run() == static_cast<int>(ExitCode::kBadConfiguration));
    CHECK(lesson.hasPrinted("no connection: the join code"));
    CHECK_FALSE(lesson.hasPrinted("joined"));
}

TEST_CASE("a guest with another version of Ringside ends at once") {
    Lesson lesson;
    lesson.open();
    lesson.settings.program = "0.9";
    CHECK(lesson.run() == static_cast<int>(ExitCode::kBadConfiguration));
    CHECK(lesson.hasPrinted("runs Ringside 0.9, but the classroom needs Ringside 1.0"));
}

TEST_CASE("a guest leaves after a signal, and at the end of its input") {
    Lesson lesson;
    lesson.open();
    REQUIRE(::write(lesson.signalWriter.get(), "x", 1) == 1);
    CHECK(lesson.run() == static_cast<int>(ExitCode::kStopped));
    CHECK(lesson.hasPrinted("over: left the classroom\n"));

    Lesson program;
    program.open();
    int fds[2];
    REQUIRE(::pipe2(fds, O_CLOEXEC) == 0);
    const UniqueFd input(fds[0]);
    ::close(fds[1]);
    program.settings.inputFd = input.get();
    CHECK(program.run() == static_cast<int>(ExitCode::kStopped));
}

TEST_CASE("a guest refuses an experiment that names a file which is not offered") {
    Lesson lesson;
    RunConfig config;
    ClassroomOffer offer = offerOf(config);
    config.dataset.kind = DatasetKind::kCsv;
    config.dataset.path = "/etc/passwd";
    config.dataset.labelColumn = "x";
    offer.config = config.toText();
    lesson.host.offer(offer, {});
    lesson.open();
    CHECK(lesson.run() == static_cast<int>(ExitCode::kBadConfiguration));
    CHECK(lesson.hasPrinted("refused: "));
}
