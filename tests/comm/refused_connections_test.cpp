// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "base/system/unique_fd.h"
#include "comm/collective_checks.h"
#include "comm/in_process_store.h"
#include "comm/ranks_as_threads.h"
#include "comm/tcp/peer_address.h"
#include "comm/tcp/peer_handshake.h"
#include "comm/tcp/peer_mesh.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

std::string transfer(PeerHandshake& from, PeerHandshake& to) {
    const std::string bytes = from.takeOutput();
    for (std::string_view rest = bytes; !rest.empty() && to.bytesExpected() > 0;) {
        const std::size_t count = std::min<std::size_t>(rest.size(), to.bytesExpected());
        to.receive(rest.substr(0, count));
        rest.remove_prefix(count);
    }
    return bytes;
}

using State = PeerHandshake::State;

// Repeatedly connects without authentication until `over`, and disturbs the connection. manner: 0 sends nothing and
// stays connected, 1 sends 100,000 bytes of garbage, 2 sends one byte, 3 starts a handshake with a wrong secret, 4
// resets the connection at once.
void disturb(const PeerAddress& address, int manner, const std::atomic<bool>& over) {
    std::vector<UniqueFd> open;
    for (int i = 0; !over; ++i) {
        UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const timeval soon{0, 200'000};
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
        ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
        if (::connect(socket.get(), address.socketAddress(), address.size()) != 0) {
            std::this_thread::yield();
            continue;
        }
        const std::string garbage(manner == 1 ? 100'000 : 1, 'x');
        if (manner == 1 || manner == 2) ::send(socket.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
        if (manner == 3) {  // uses the protocol of ranks, but does not know the secret
            PeerHandshake handshake = PeerHandshake::initiator(randomSecret(), 1, 0);
            char buffer[256];
            const ssize_t got = ::recv(socket.get(), buffer, handshake.bytesExpected(), MSG_WAITALL);
            if (got > 0) handshake.receive({buffer, static_cast<std::size_t>(got)});
            const std::string claim = handshake.takeOutput();
            ::send(socket.get(), claim.data(), claim.size(), MSG_NOSIGNAL);
            [[maybe_unused]] const ssize_t none = ::recv(socket.get(), buffer, sizeof buffer, 0);
        }
        if (manner == 4) {  // closes the connection with a reset
            const linger reset{1, 0};
            ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        }
        if (manner == 0 && open.size() < 100) open.push_back(std::move(socket));  // sends nothing and stays connected
    }
}

PeerAddress addressOf(Store& store, const std::string& prefix, int rank) {
    return *PeerAddress::decode(store.get(prefix + "address/" + std::to_string(rank), milliseconds(10'000)));
}

}  // namespace

TEST_CASE("two ranks that know the run's secret authenticate each other, in any chunking") {
    const Secret secret = randomSecret();
    PeerHandshake initiator = PeerHandshake::initiator(secret, 3, 1);
    PeerHandshake acceptor = PeerHandshake::acceptor(secret, 1, 4);
    transfer(acceptor, initiator);
    CHECK(initiator.state() == State::kInProgress);
    const std::string claim = initiator.takeOutput();
    for (const char one : claim) acceptor.receive({&one, 1});
    CHECK(acceptor.state() == State::kDone);
    CHECK(acceptor.peer() == 3);
    transfer(acceptor, initiator);
    CHECK(initiator.state() == State::kDone);
    CHECK(initiator.bytesExpected() == 0);
}

TEST_CASE("a peer without the secret is refused by both sides") {
    PeerHandshake initiator = PeerHandshake::initiator(randomSecret(), 3, 1);
    PeerHandshake acceptor = PeerHandshake::acceptor(randomSecret(), 1, 4);
    transfer(acceptor, initiator);
    transfer(initiator, acceptor);
    CHECK(acceptor.state() == State::kRefused);
    CHECK(acceptor.takeOutput().empty());
    initiator.receive(std::string(initiator.bytesExpected(), 'x'));
    CHECK(initiator.state() == State::kRefused);
}

TEST_CASE("a recorded handshake is useless on another connection") {
    const Secret secret = randomSecret();
    PeerHandshake initiator = PeerHandshake::initiator(secret, 3, 1);
    PeerHandshake acceptor = PeerHandshake::acceptor(secret, 1, 4);
    transfer(acceptor, initiator);
    const std::string claim = transfer(initiator, acceptor);
    REQUIRE(acceptor.state() == State::kDone);
    PeerHandshake again = PeerHandshake::acceptor(secret, 1, 4);
    again.takeOutput();
    again.receive(claim);
    CHECK(again.state() == State::kRefused);
    PeerHandshake other = PeerHandshake::initiator(secret, 2, 0);  // a proof for another pair of ranks is refused too
    transfer(again, other);
    CHECK(other.state() == State::kInProgress);
}

TEST_CASE("a peer with a rank outside the run or with this process's own rank is refused") {
    const Secret secret = randomSecret();
    for (const int rank : {4, 1, -1}) {
        INFO("rank " << rank);
        PeerHandshake initiator = PeerHandshake::initiator(secret, rank, 1);
        PeerHandshake acceptor = PeerHandshake::acceptor(secret, 1, 4);
        transfer(acceptor, initiator);
        transfer(initiator, acceptor);
        CHECK(acceptor.state() == State::kRefused);
    }
}

TEST_CASE("bytes that are not a greeting are refused at the first wrong byte") {
    PeerHandshake acceptor = PeerHandshake::acceptor(randomSecret(), 1, 4);
    acceptor.receive("ringside");
    CHECK(acceptor.state() == State::kInProgress);
    acceptor.receive("!");
    CHECK(acceptor.state() == State::kRefused);
    CHECK(acceptor.bytesExpected() == 0);
}

TEST_CASE("unauthenticated connections of every kind change nothing while ranks connect, and are counted") {
    if (!glooAvailable()) return;
    const auto store = std::make_shared<InProcessStore>();
    std::atomic<bool> over = false;
    std::vector<std::unique_ptr<Communicator>> ranks(4);
    std::vector<std::future<std::string>> connecting;
    const auto start = [&](int rank) {
        connecting.push_back(
            errorOf([&, rank] { ranks[static_cast<std::size_t>(rank)] = makeGlooCommunicator(store, rank, 4); }));
    };
    start(0);
    start(1);
    std::vector<std::jthread> unauthenticated;
    const std::unique_ptr<std::atomic<bool>, void (*)(std::atomic<bool>*)> ending(&over,
                                                                                  [](auto* flag) { *flag = true; });
    for (int i = 0; i < 10; ++i) {
        const PeerAddress address = addressOf(*store, "gloo/", i % 2);
        unauthenticated.emplace_back([&over, address, i] { disturb(address, i / 2, over); });
    }
    std::this_thread::yield();
    start(2);
    start(3);
    for (auto& each : connecting) CHECK(each.get() == "");
    std::int64_t counted = 0;
    for (const auto& rank : ranks) counted += rank ? rank->refusedConnections() : 0;
    CHECK(counted > 0);
    onThreads(ranks, [](Communicator& each) { checkFloatSum(each, 10'634, false); });
}

TEST_CASE("no connection is accepted after the ranks have connected") {
    if (!glooAvailable()) return;
    const auto store = std::make_shared<InProcessStore>();
    std::vector<std::unique_ptr<Communicator>> ranks(2);
    auto other = errorOf([&] { ranks[1] = makeGlooCommunicator(store, 1, 2); });
    ranks[0] = makeGlooCommunicator(store, 0, 2);
    REQUIRE(other.get() == "");
    for (const int rank : {0, 1}) {
        const PeerAddress address = addressOf(*store, "gloo/", rank);
        const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        CHECK(::connect(socket.get(), address.socketAddress(), address.size()) != 0);
    }
    onThreads(ranks, [](Communicator& each) { checkFloatSum(each, 1000, false); });
}

TEST_CASE("with only unauthenticated connections, the run ends at its deadline and reports their number") {
    const auto store = std::make_shared<InProcessStore>();
    PeerMesh mesh(*store, {.prefix = "m/", .ranksInRun = {4, 7}, .rank = 0, .timeout = milliseconds(300)});
    auto failing = errorOf([&] { mesh.connect(); });
    const PeerAddress address = addressOf(*store, "m/", 0);
    for (int i = 0; i < 3; ++i) {
        const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        REQUIRE(::connect(socket.get(), address.socketAddress(), address.size()) == 0);
        ::send(socket.get(), "GET / HTTP/1.1\r\n", 16, MSG_NOSIGNAL);
        char answer[64];
        while (::recv(socket.get(), answer, sizeof answer, 0) > 0) continue;  // until the rank closes the connection
    }
    const std::string error = failing.get();
    CHECK_THAT(error, containing("rank 7 did not connect within 300 ms"));
    CHECK_THAT(error, containing("(3 unauthenticated connections were refused)"));
}

TEST_CASE("an address survives the store unchanged, and invalid bytes are refused") {
    const PeerAddress loopback = PeerAddress::loopback();
    CHECK(PeerAddress::decode(loopback.encode())->text() == "127.0.0.1 port 0");
    CHECK(loopback.encode().size() == sizeof(sockaddr_in));
    for (const std::size_t size : {0U, 1U, 2U, 15U, 17U, 28U, 128U, 200U}) {
        INFO(size << " bytes");
        CHECK_FALSE(PeerAddress::decode(std::vector<char>(size, '\2')));
    }
    CHECK(PeerAddress::parse("10.0.0.7").text() == "10.0.0.7 port 0");
    CHECK(PeerAddress::parse("fd00::1").text() == "fd00::1 port 0");
    CHECK_THROWS_WITH(PeerAddress::parse("10.0.0.300"), containing("is not an IP address"));
    CHECK(PeerAddress::ofInterface("lo").value().text() == "127.0.0.1 port 0");
    CHECK_THAT(PeerAddress::ofInterface("none0").problem().text(),
               containing("parallel.interface is \"none0\", which is not a network interface with an address on this "
                          "computer; the interfaces with an address are lo"));
}
