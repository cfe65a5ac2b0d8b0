// SPDX-License-Identifier: Apache-2.0
#include "run/ranks/remote_rank.h"

#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "launch/wire/greeting.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

// Remote rank whose connection ends in the test, with a clock that the test sets.
struct RemoteFixture {
    TimePoint now{1h};
    UniqueFd control, telemetry;  // the worker's ends of the two channels
    std::vector<std::string> lines;
    RemoteRank rank;

    RemoteFixture() : rank(guest(), [this] { return now; }) {}

    Guest guest() {
        Guest made;
        made.rank = 1;
        connect(made.control, control);
        connect(made.telemetry, telemetry);
        return made;
    }
    static void connect(UniqueFd& ours, UniqueFd& theirs) {
        int fds[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
        ours.reset(fds[0]);
        theirs.reset(fds[1]);
    }
    static void send(const UniqueFd& to, const std::string& text) {
        REQUIRE(::write(to.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    // Returns true if the rank's end of the control connection is closed by the host of the run.
    bool isReleased() const {
        char byte = 0;
        return ::recv(control.get(), &byte, 1, MSG_DONTWAIT) == 0;
    }
    void read() {
        rank.readTelemetry([this](std::string_view line) { lines.emplace_back(line); });
    }
};

}  // namespace

TEST_CASE("the last lines of a remote rank that has exited count, also if they arrive after its exit code") {
    RemoteFixture f;
    f.send(f.control, encodeFarewell({0, ""}) + "\n");
    f.control.reset();
    CHECK_FALSE(f.rank.poll());
    f.now += 20s;
    CHECK_FALSE(f.rank.poll());
    f.send(f.telemetry, "finished\n");
    f.telemetry.reset();
    f.read();
    REQUIRE(f.rank.poll());
    CHECK(f.rank.end()->text() == "exited with code 0");
    CHECK(f.lines == std::vector<std::string>{"finished"});
}

TEST_CASE("a remote rank whose user has ended it left the run") {
    RemoteFixture f;
    f.send(f.control, encodeFarewell({20, "", true}) + "\n");
    f.control.reset();
    f.telemetry.reset();
    f.read();
    REQUIRE(f.rank.poll());
    CHECK(f.rank.end()->left);
    CHECK(f.rank.end()->text() == "left the run");
}

TEST_CASE("a remote rank whose telemetry connection stays open after its exit code ends after half a minute") {
    RemoteFixture f;
    f.send(f.control, encodeFarewell({10, ""}) + "\n");
    f.control.reset();
    CHECK_FALSE(f.rank.poll());
    f.now += 31s;
    REQUIRE(f.rank.poll());
    CHECK(f.rank.end()->text() == "exited with code 10");
}

TEST_CASE("a remote rank that has sent its exit code stays connected until the run has its summary") {
    auto f = std::make_unique<RemoteFixture>();
    f->send(f->control, encodeFarewell({20, ""}) + "\n");
    f->telemetry.reset();
    f->read();
    ::shutdown(f->control.get(), SHUT_WR);
    REQUIRE(f->rank.poll());
    CHECK(f->rank.end()->code == 20);
    CHECK_FALSE(f->isReleased());
    const UniqueFd control = std::move(f->control);
    f.reset();
    char byte = 0;
    CHECK(::recv(control.get(), &byte, 1, MSG_DONTWAIT) == 0);
}

TEST_CASE("a remote rank that disappears without an exit code ends after two seconds") {
    RemoteFixture f;
    f.control.reset();
    CHECK_FALSE(f.rank.poll());
    f.now += 3s;
    REQUIRE(f.rank.poll());
    CHECK(f.rank.end()->lost);
}
