// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <thread>

#include "base/crypto/secret.h"
#include "launch/channels/shared_handover.h"
#include "launch/channels/shared_memory.h"
#include "launch/rendezvous/rendezvous_guest.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "launch/wire/authenticating_listener.h"
#include "launch/wire/own_addresses.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

LaunchLayout layoutOf(int worldSize, std::vector<std::string> hosts) {
    LaunchLayout layout;
    layout.launcher = LauncherKind::kByHand;
    layout.worldSize = worldSize;
    layout.masterHosts = {"127.0.0.1"};
    layout.job = "test " + randomHex(8);
    layout.hosts = std::move(hosts);
    return layout;
}

RendezvousTerms termsFor(const LaunchLayout& layout, std::chrono::milliseconds deadline) {
    RendezvousTerms terms = termsOf(layout, "a secret", "1.0", "abc");
    terms.deadline = deadline;
    return terms;
}

struct Meeting {
    LaunchLayout layout;
    RendezvousTerms terms;
    RendezvousHost host;
    std::vector<std::string> said;

    explicit Meeting(int worldSize, std::chrono::milliseconds deadline = 20s, std::vector<std::string> hosts = {})
        : layout(layoutOf(worldSize, std::move(hosts))), terms(termsFor(layout, deadline)), host(terms, layout, "key") {
        REQUIRE(host.listen().empty());
    }
    Result<Gathering> gather(int stopFd = -1) {
        return host.gather(stopFd, [this](const std::string& text) { said.push_back(text); });
    }
    std::future<Result<Joined>> guest(int rank, const RendezvousTerms& known, const std::string& key = "key") {
        return std::async(std::launch::async, [rank, known, key, size = layout.worldSize] {
            return joinRendezvous(known, rank, size, "host" + std::to_string(rank), key);
        });
    }
    std::future<Result<Joined>> guest(int rank) { return guest(rank, terms); }
};

Welcome welcomeFor(int worldSize) {
    Welcome welcome;
    welcome.runDirectory = "/runs/x";
    welcome.backend = "gloo";
    welcome.device = "cpu";
    welcome.runStartUs = 12345;
    welcome.hosts.assign(static_cast<std::size_t>(worldSize), 0);
    welcome.addresses.assign(static_cast<std::size_t>(worldSize), "127.0.0.1");
    welcome.sharedName = "s";
    return welcome;
}

int portOf(const std::string& address) {
    return std::stoi(address.substr(address.rfind(':') + 1));
}

void welcomeAll(const Gathering& gathering, int worldSize) {
    for (const Guest& guest : gathering.guests)
        REQUIRE(
            sendLine(guest.control.get(), encodeWelcome(welcomeFor(worldSize)), std::chrono::steady_clock::now() + 5s));
}

}  // namespace

TEST_CASE("the proof is HMAC-SHA-256 as in RFC 4231") {
    CHECK(hmacSha256("Jefe", "what do ya want for nothing?") ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(hmacSha256(std::string(20, '\x0b'), "Hi There") ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(hmacSha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("all ranks connect, receive the same terms and have their own connections") {
    Meeting meeting(4);
    auto three = meeting.guest(3);
    auto one = meeting.guest(1);
    auto two = meeting.guest(2);
    Result<Gathering> gathering = meeting.gather();
    REQUIRE(gathering.ok());
    REQUIRE(gathering.value().guests.size() == 3);
    welcomeAll(gathering.value(), 4);
    for (auto* guest : {&one, &two, &three}) {
        const Result<Joined> joined = guest->get();
        REQUIRE(joined.ok());
        CHECK(joined.value().welcome.runStartUs == 12345);
        CHECK(joined.value().welcome.runDirectory == "/runs/x");
        CHECK(joined.value().sameHost);
        CHECK(joined.value().clockOffsetUs == 0);
    }
    for (int rank = 1; rank < 4; ++rank) {
        const Guest& guest = gathering.value().guests[static_cast<std::size_t>(rank - 1)];
        CHECK(guest.rank == rank);
        CHECK(guest.host == "host" + std::to_string(rank));
        CHECK(guest.pid == ::getpid());
        CHECK(guest.address == "127.0.0.1");
    }
    CHECK(meeting.host.refusedConnections() == 0);
}

TEST_CASE("a rank on another host receives its clock offset, which is zero here") {
    Meeting meeting(2);
    auto one = meeting.guest(1, meeting.terms, "another key");
    Result<Gathering> gathering = meeting.gather();
    REQUIRE(gathering.ok());
    welcomeAll(gathering.value(), 2);
    const Result<Joined> joined = one.get();
    REQUIRE(joined.ok());
    CHECK_FALSE(joined.value().sameHost);
    CHECK(std::abs(joined.value().clockOffsetUs) <= joined.value().clockErrorUs);
}

TEST_CASE("a missing rank is named with its host at the deadline, and the other ranks are informed") {
    Meeting meeting(3, 2500ms, {"n1", "n1", "n2"});
    auto one = meeting.guest(1);
    const Result<Gathering> gathering = meeting.gather();
    REQUIRE_FALSE(gathering.ok());
    CHECK(gathering.problem().text().find("rank 2 (on n2) did not connect within 2 s") != std::string::npos);
    REQUIRE(meeting.said.size() == 1);
    CHECK(meeting.said.front().find("waiting 2 s for rank 2 (on n2); missing ranks must be able to connect to") == 0);
    const Result<Joined> joined = one.get();
    REQUIRE_FALSE(joined.ok());
    CHECK(joined.problem().text().find("rank 2 (on n2) did not connect") != std::string::npos);
}

TEST_CASE("a different version or experiment, and an extra rank, are refused by name") {
    const auto refusal = [](int rank, const auto& change) {
        Meeting meeting(2);
        RendezvousTerms other = meeting.terms;
        change(other);
        auto guest = meeting.guest(rank, other);
        const Result<Gathering> gathering = meeting.gather();
        REQUIRE_FALSE(gathering.ok());
        const Result<Joined> joined = guest.get();
        REQUIRE_FALSE(joined.ok());
        return gathering.problem().text() + " | " + joined.problem().text();
    };
    const std::string program = refusal(1, [](RendezvousTerms& terms) { terms.program = "0.9"; });
    CHECK(program.find("rank 1 on host1 runs ringside 0.9, but rank 0 runs 1.0") == 0);
    CHECK(program.find("| this rank runs ringside 0.9") != std::string::npos);
    const std::string experiment = refusal(1, [](RendezvousTerms& terms) { terms.experiment = "def"; });
    CHECK(experiment.find("rank 1 on host1 has another experiment than rank 0 (hash def instead of abc)") == 0);
    CHECK(refusal(2, [](RendezvousTerms&) {}).find("rank 2 on host2 is not one of the ranks 1 to 1") == 0);
}

TEST_CASE("two processes with the same rank are refused") {
    Meeting meeting(3);
    auto first = meeting.guest(1);
    auto second =
        std::async(std::launch::async, [&meeting] { return joinRendezvous(meeting.terms, 1, 3, "elsewhere", "key"); });
    const Result<Gathering> gathering = meeting.gather();
    REQUIRE_FALSE(gathering.ok());
    CHECK(gathering.problem().text().find("connected twice: also from ") != std::string::npos);
    CHECK_FALSE(first.get().ok());
    CHECK_FALSE(second.get().ok());
}

TEST_CASE("a stop ends the waiting") {
    Meeting meeting(2);
    const UniqueFd stop(::eventfd(1, EFD_CLOEXEC));
    const Result<Gathering> gathering = meeting.gather(stop.get());
    REQUIRE(gathering.ok());
    CHECK(gathering.value().stopped);
}

TEST_CASE("unauthenticated and half-open connections and wrong tokens are counted and change nothing") {
    Meeting meeting(3);
    const int port = portOf(meeting.host.address());
    std::vector<UniqueFd> silent;
    auto flood = std::async(std::launch::async, [&] {
        const auto until = std::chrono::steady_clock::now() + 5s;
        for (int i = 0; i < 300; ++i) {
            UniqueFd socket = connectTo("127.0.0.1", port, until);
            if (!socket) continue;
            if (i % 3 == 0) sendLine(socket.get(), "GET / HTTP/1.1", until);
            if (i % 3 == 1) sendLine(socket.get(), std::string(20000, '['), until);
            silent.push_back(std::move(socket));
        }
    });
    RendezvousTerms wrong = meeting.terms;
    wrong.token = "guessed";
    wrong.deadline = 500ms;
    auto liar = meeting.guest(1, wrong);
    auto late = std::async(std::launch::async, [&] {
        flood.wait();
        liar.wait();
        auto one = meeting.guest(1);
        auto two = meeting.guest(2);
        const bool both = one.get().ok();
        return both && two.get().ok();
    });
    const Result<Gathering> gathering = meeting.gather();
    REQUIRE(gathering.ok());
    welcomeAll(gathering.value(), 3);
    CHECK(late.get());
    const Result<Joined> refused = liar.get();
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.problem().text().find("a different run responds, or a run with a different RINGSIDE_TOKEN") !=
          std::string::npos);
    CHECK(meeting.host.refusedConnections() > 100);
}

TEST_CASE("if a port is in use, the next one is used") {
    Meeting first(2);
    const RendezvousHost* busy = &first.host;
    RendezvousHost second(first.terms, first.layout, "key");
    REQUIRE(second.listen().empty());
    CHECK(portOf(second.address()) != portOf(busy->address()));
}

TEST_CASE("invalid lines of the rendezvous are refused") {
    CHECK_FALSE(decodeGreeting("{\"role\":\"control\"}").has_value());
    const auto greetingWith = [](const std::string& role) {
        return R"({"role":")" + role + R"(","rank":3,"nonce":"n","proof":"p","program":"1.0","experiment":"e",)" +
               R"("host":"node1","host_key":"k","pid":4})";
    };
    CHECK(decodeGreeting(greetingWith("store")).value().role == ConnectionRole::kStore);
    CHECK(decodeGreeting(greetingWith("watch")).value().role == ConnectionRole::kWatch);
    CHECK_FALSE(decodeGreeting(greetingWith("stores")).has_value());
    CHECK_FALSE(decodeGreeting("[[[[[[[[").has_value());
    CHECK_FALSE(decodeChallenge("{\"ringside\":2,\"nonce\":\"a\"}").has_value());
    CHECK_FALSE(decodeChallenge("{\"ringside\":1,\"nonce\":7}").has_value());
    CHECK_FALSE(decodeFarewell("{\"kind\":\"exit\",\"code\":300,\"text\":\"\"}").has_value());
    CHECK_FALSE(decodeClock("{\"kind\":\"clock\",\"us\":18446744073709551615}").has_value());
    CHECK(decodeWelcome(encodeWelcome(welcomeFor(2)), 2).has_value());
    CHECK_FALSE(decodeWelcome(encodeWelcome(welcomeFor(2)), 3).has_value());
    Welcome strange = welcomeFor(2);
    strange.hosts = {0, 2};
    CHECK_FALSE(decodeWelcome(encodeWelcome(strange), 2).has_value());
    const auto farewell = decodeFarewell(encodeFarewell({12, "it \"ended\"\n"}));
    REQUIRE(farewell.has_value());
    CHECK(farewell->exitCode == 12);
    CHECK(farewell->text == "it \"ended\"\n");
    CHECK_FALSE(farewell->left);
    const auto leave = decodeFarewell(encodeFarewell({20, "", true}));
    REQUIRE(leave.has_value());
    CHECK(leave->left);
    CHECK_FALSE(decodeFarewell(R"({"kind":"exit","code":20,"text":"","left":"yes"})").has_value());
    CHECK(isStopRequest(kStopRequest));
    CHECK_FALSE(isStopRequest("{\"kind\":1}"));
}

TEST_CASE("the ranks of a host get the same shared memory") {
    const std::string name = randomHex(16);
    const SharedHandover handover(name, 3);
    const UniqueFd memory = createSharedMemory(4096);
    auto fetch = [&] { return fetchShared(name, 3, 5s); };
    auto one = std::async(std::launch::async, fetch);
    auto two = std::async(std::launch::async, fetch);
    handover.serve(memory.get(), 2, 5s);
    const UniqueFd first = one.get();
    const UniqueFd second = two.get();
    REQUIRE(::pwrite(first.get(), "shared", 6, 0) == 6);
    char bytes[6] = {};
    REQUIRE(::pread(second.get(), bytes, 6, 0) == 6);
    CHECK(std::string(bytes, 6) == "shared");
    CHECK_THROWS(handover.serve(memory.get(), 1, 50ms));
    CHECK_THROWS(fetchShared(randomHex(16), 0, 50ms));
}

TEST_CASE("a rank that cannot start reports the reason, and no rank waits for it") {
    Meeting meeting(3, 60s);
    auto waiting = meeting.guest(1);
    auto declining = std::async(std::launch::async, [&] {
        declineRendezvous(meeting.terms, 2, "host2", "RANK is 0, but Slurm reports 2: unset it");
    });
    const Result<Gathering> gathering = meeting.gather();
    declining.get();
    REQUIRE_FALSE(gathering.ok());
    CHECK(gathering.problem().text().starts_with("rank 2 on host2 cannot start: RANK is 0, but Slurm reports 2"));
    const Result<Joined> joined = waiting.get();
    REQUIRE_FALSE(joined.ok());
    REQUIRE(meeting.host.culprits().size() == 1);
    CHECK(meeting.host.culprits()[0].rank == 2);
    CHECK_FALSE(meeting.host.culprits()[0].isMisuse);
}

TEST_CASE("a rank receives the reason if rank 0 cancels the start before all connections are open") {
    for (const std::string key : {"key", "key of another host"}) {
        const RendezvousTerms terms = termsFor(layoutOf(3, std::vector<std::string>{}), 20s);
        AuthenticatingListener listener;
        const auto free = std::find_if(terms.ports.begin(), terms.ports.end(),
                                       [&](int port) { return listener.listen("127.0.0.1", port, false); });
        REQUIRE(free != terms.ports.end());
        auto one = std::async(std::launch::async, [&] { return joinRendezvous(terms, 1, 3, "host1", key); });
        UniqueFd control;
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (!control && std::chrono::steady_clock::now() < until) {
            std::vector<pollfd> waiting;
            listener.addInterests(waiting);
            ::poll(waiting.data(), waiting.size(), 1000);
            listener.poll([&](UniqueFd& socket, const std::string&, const std::string& line) {
                const std::string nonce = decodeGreeting(line).value().nonce;
                sendLine(socket.get(), encodeAnswer({hmacSha256(terms.token, answeredText(nonce, "")), "", "key"}),
                         until);
                sendLine(socket.get(), encodeVerdict("rank 2 cannot start"), until);
                control = std::move(socket);
                return true;
            });
        }
        listener.close();
        const Result<Joined> joined = one.get();
        REQUIRE_FALSE(joined.ok());
        INFO(joined.problem().text());
        CHECK(joined.problem().text().starts_with("the start was cancelled by rank 0: rank 2 cannot start"));
    }
}

TEST_CASE("a rank without an experiment receives the reason why rank 0 cannot start") {
    Meeting meeting(2, 20s);
    RendezvousTerms other = meeting.terms;
    other.experiment = "";
    auto declining = std::async(std::launch::async, [&] { declineRendezvous(other, 1, "host1", "no experiment"); });
    meeting.host.refuseRanks("the data set is missing", 20s);
    declining.get();
}

TEST_CASE("the address of the default route comes first, and those of virtual networks last") {
    std::vector<OwnAddress> addresses{
        {"10.200.0.1", "lxdbr0"}, {"172.17.0.1", "docker0"}, {"10.1.0.5", "eth0"}, {"192.168.1.7", "wlan0"}};
    sortAddresses(addresses, "192.168.1.7");
    CHECK(addresses ==
          std::vector<OwnAddress>{
              {"192.168.1.7", "wlan0"}, {"10.1.0.5", "eth0"}, {"10.200.0.1", "lxdbr0"}, {"172.17.0.1", "docker0"}});
    sortAddresses(addresses, "");
    CHECK(addresses.front().interface == "wlan0");
    sortAddresses(addresses, "172.17.0.1");
    CHECK(addresses.front().interface == "docker0");
}
