// SPDX-License-Identifier: Apache-2.0
#include "watch/link/watch_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <chrono>
#include <cstring>

#include "base/crypto/secret.h"
#include "launch/wire/greeting.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

using std::chrono::steady_clock;

UniqueFd connectLocally(const std::filesystem::path& path) {
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    REQUIRE(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return socket;
}

// A watcher and one process that connects to it.
struct Meeting {
    TemporaryDirectory folder;
    WatchListener listener{"the secret"};
    std::vector<std::unique_ptr<WatchedRank>> ranks;
    std::string refusal;

    Meeting() { REQUIRE(listener.listenAt(folder.path() / "socket")); }

    void poll() {
        std::vector<pollfd> waiting;
        listener.addInterests(waiting);
        ::poll(waiting.data(), waiting.size(), 1000);
        for (auto& rank : listener.poll([this](const Greeting&) { return refusal; })) ranks.push_back(std::move(rank));
    }
    // Returns the watcher's answer to a greeting that uses this secret and role.
    Answer greet(const UniqueFd& socket, const std::string& secret, ConnectionRole role) {
        poll();
        const auto challenge = receiveLine(socket.get(), kMaxGreetingBytes, steady_clock::now() + 5s);
        REQUIRE(challenge);
        Greeting greeting;
        greeting.role = role;
        greeting.rank = 3;
        greeting.nonce = "nonce of the rank";
        greeting.program = "ringside_watch 0.1.0";
        greeting.experiment = "watch";
        greeting.host = "node1";
        greeting.hostKey = "boot";
        greeting.pid = 4321;
        greeting.proof = hmacSha256(secret, greeting.provenText(decodeChallenge(*challenge).value()));
        REQUIRE(sendLine(socket.get(), encodeGreeting(greeting), steady_clock::now() + 5s));
        poll();
        const auto answer = receiveLine(socket.get(), kMaxGreetingBytes, steady_clock::now() + 5s);
        REQUIRE(answer);
        return decodeAnswer(*answer).value();
    }
};

}  // namespace

TEST_CASE("a process that knows the secret becomes a rank, and the watcher proves the secret in turn") {
    Meeting meeting;
    const UniqueFd socket = connectLocally(meeting.folder.path() / "socket");
    const Answer answer = meeting.greet(socket, "the secret", ConnectionRole::kWatch);
    CHECK(answer.refused.empty());
    CHECK(answer.proof == hmacSha256("the secret", answeredText("nonce of the rank", "")));
    REQUIRE(meeting.ranks.size() == 1);
    CHECK(meeting.ranks[0]->rank() == 3);
    CHECK(meeting.ranks[0]->host() == "node1");
    CHECK(meeting.ranks[0]->pid() == 4321);
}

TEST_CASE("a wrong secret, another role and a refusal admit no rank") {
    Meeting meeting;
    const UniqueFd wrong = connectLocally(meeting.folder.path() / "socket");
    CHECK(meeting.greet(wrong, "a guess", ConnectionRole::kWatch).proof.empty());
    const UniqueFd other = connectLocally(meeting.folder.path() / "socket");
    CHECK(meeting.greet(other, "the secret", ConnectionRole::kControl).proof.empty());
    CHECK(meeting.listener.refusedConnections() == 2);
    meeting.refusal = "rank 3 is here already";
    const UniqueFd second = connectLocally(meeting.folder.path() / "socket");
    CHECK(meeting.greet(second, "the secret", ConnectionRole::kWatch).refused == "rank 3 is here already");
    CHECK(meeting.ranks.empty());
    CHECK(meeting.listener.refusedConnections() == 2);
}

TEST_CASE("only the user can reach the socket") {
    Meeting meeting;
    struct stat info {};
    REQUIRE(::stat((meeting.folder.path() / "socket").c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("a watched rank passes telemetry on and keeps clock answers apart") {
    Meeting meeting;
    UniqueFd socket = connectLocally(meeting.folder.path() / "socket");
    meeting.greet(socket, "the secret", ConnectionRole::kWatch);
    REQUIRE(meeting.ranks.size() == 1);
    WatchedRank& rank = *meeting.ranks[0];
    rank.sendControl("{\"kind\":\"stack\"}\n");
    CHECK(receiveLine(socket.get(), 100, steady_clock::now() + 5s) == "{\"kind\":\"stack\"}");
    const std::string text = "{\"kind\":\"time\",\"asked_us\":5,\"us\":70}\n{\"kind\":\"heartbeat\",\"rank\":3}\n";
    REQUIRE(::send(socket.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    std::vector<std::string> lines;
    const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
    CHECK(rank.readTelemetry(keep));
    CHECK(lines == std::vector<std::string>{"{\"kind\":\"heartbeat\",\"rank\":3}"});
    const std::vector<ClockReading> readings = rank.takeClockReadings();
    REQUIRE(readings.size() == 1);
    CHECK(readings[0].sentUs == 5);
    socket.reset();
    CHECK_FALSE(rank.readTelemetry(keep));
    CHECK(rank.poll());
    CHECK(rank.fd() == -1);
    rank.closeConnection();  // has no effect on an ended connection
    CHECK(rank.fd() == -1);
}
