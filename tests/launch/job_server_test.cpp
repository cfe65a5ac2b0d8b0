// SPDX-License-Identifier: Apache-2.0
#include "launch/exchange/job_server.h"

#include <sys/socket.h>

#include <array>
#include <future>

#include "launch/exchange/pmi_server.h"
#include "launch/wire/line_socket.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

// Lines of a PMI-1 session as Hydra of MPICH 4.0.2 answers them to one of two ranks, recorded with strace.
struct Exchange {
    std::string expected;  // expected beginning of the line that the rank sends
    std::string answer;
};
using Session = std::vector<Exchange>;

const Session kHydra = {
    {"cmd=init pmi_version=1 pmi_subversion=1", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"},
    {"cmd=get_my_kvsname", "cmd=my_kvsname kvsname=kvs_4711_0"},
    {"cmd=put kvsname=kvs_4711_0 key=ringside-job value=", "cmd=put_result rc=0 msg=success"},
    {"cmd=barrier_in", "cmd=barrier_out"},
    {"cmd=get kvsname=kvs_4711_0 key=ringside-job",
     "cmd=get_result rc=0 msg=success value=00112233445566778899aabbccddeeff,10.0.0.7,10.1.0.7"},
    {"cmd=finalize", "cmd=finalize_ack"}};

std::chrono::steady_clock::time_point in(std::chrono::seconds time) {
    return std::chrono::steady_clock::now() + time;
}

// The launcher's end of the socket PMI_FD. It answers with the lines of a recorded session.
struct Launcher {
    UniqueFd ours;
    UniqueFd theirs;
    LaunchSources sources;

    Launcher() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
        ours = UniqueFd(ends[0]);
        theirs = UniqueFd(ends[1]);
        sources.environment = {{"PMI_FD", std::to_string(theirs.get())}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}};
    }
    // Answers the lines of the session in a thread. The future holds the number of the rank's lines that were as
    // expected.
    std::future<std::size_t> play(const Session& session) {
        return std::async(std::launch::async, [this, session] {
            for (std::size_t i = 0; i < session.size(); ++i) {
                const auto line = receiveLine(ours.get(), 4096, in(20s));
                if (!line || !line->starts_with(session[i].expected)) return i;
                sendLine(ours.get(), session[i].answer, in(20s));
            }
            return session.size();
        });
    }
};

LaunchLayout layoutOf(int rank, int localSize) {
    LaunchLayout layout;
    layout.launcher = LauncherKind::kPmi;
    layout.rank = rank;
    layout.worldSize = 2;
    layout.localSize = localSize;
    return layout;
}

Session without(Session session, std::size_t index) {
    session.erase(session.begin() + static_cast<std::ptrdiff_t>(index));
    return session;
}

}  // namespace

TEST_CASE("ranks of Hydra receive one job and rank 0's addresses over PMI_FD") {
    Launcher launcher;
    // Without the line in which a rank stores its address: rank 1 stores nothing.
    auto played = launcher.play(without(kHydra, 2));
    auto server = connectJobServer({}, launcher.sources, in(20s));
    REQUIRE(server.ok());
    LaunchLayout layout = layoutOf(1, 1);
    REQUIRE(exchangeJob(*server.value(), layout, false, in(20s)).ok());
    CHECK(layout.job == "PMI 00112233445566778899aabbccddeeff");
    CHECK(layout.masterHosts == std::vector<std::string>{"10.0.0.7", "10.1.0.7"});
    server.value()->leave();
    CHECK(played.get() == 5);
}

TEST_CASE("rank 0 of Hydra publishes its addresses and listens at all of them") {
    Launcher launcher;
    auto played = launcher.play(kHydra);
    auto server = connectJobServer({}, launcher.sources, in(20s));
    REQUIRE(server.ok());
    LaunchLayout layout = layoutOf(0, 1);
    REQUIRE(exchangeJob(*server.value(), layout, false, in(20s)).ok());
    CHECK(layout.masterHosts == std::vector<std::string>{"0.0.0.0"});
    server.value()->leave();
    CHECK(played.get() == 6);
}

TEST_CASE("an address from --master and the loopback of one host are kept") {
    for (const bool hasMaster : {true, false}) {
        Launcher launcher;
        auto played = launcher.play(without(kHydra, 2));
        auto server = connectJobServer({}, launcher.sources, in(20s));
        REQUIRE(server.ok());
        LaunchLayout layout = layoutOf(1, hasMaster ? 1 : 2);
        layout.masterHosts = {"here"};
        REQUIRE(exchangeJob(*server.value(), layout, hasMaster, in(20s)).ok());
        CHECK(layout.masterHosts == std::vector<std::string>{"here"});
        server.value()->leave();
        CHECK(played.get() == 5);
    }
}

TEST_CASE("a PMI server that fails, sends invalid answers or is absent is named with a remedy") {
    for (const auto& [index, answer] :
         std::vector<std::pair<std::size_t, std::string>>{{0, "cmd=response_to_init rc=-1"},
                                                          {1, "cmd=my_kvsname"},
                                                          {2, "cmd=put_result rc=5"},
                                                          {4, "cmd=get_result rc=0 value=x"},
                                                          {4, "nonsense"}}) {
        Launcher launcher;
        Session session = kHydra;
        session[index].answer = answer;
        session.resize(index + 1);
        auto played = launcher.play(session);
        auto server = connectJobServer({}, launcher.sources, in(20s));
        LaunchLayout layout = layoutOf(0, 1);
        const bool exchanged = server.ok() && exchangeJob(*server.value(), layout, false, in(20s)).ok();
        CHECK_FALSE(exchanged);
        CHECK(played.get() == index + 1);
    }
    LaunchSources sources;
    sources.environment = {{"PMI_FD", "987"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}};
    const auto absent = connectJobServer({}, sources, in(20s));
    REQUIRE_FALSE(absent.ok());
    CHECK(absent.problem().text().starts_with("PMI_FD is 987, but no PMI server answers there"));
}
