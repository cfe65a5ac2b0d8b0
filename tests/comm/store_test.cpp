// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include <random>

#include "base/errors/errors.h"
#include "comm/in_process_store.h"
#include "comm/ranks_as_threads.h"
#include "comm/socket_store.h"
#include "comm/store_server_thread.h"
#include "launch/store/store_server.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

std::vector<char> bytes(const std::string& text) {
    return {text.begin(), text.end()};
}

// Store server with one connection. The test writes bytes to the other end of the connection and lets the server read
// them.
struct ByHand {
    StoreServer server;
    UniqueFd peer;

    ByHand() {
        auto [serverEnd, rankEnd] = socketPair();
        server.add(std::move(serverEnd), "rank 0");
        peer = std::move(rankEnd);
    }
    void write(const std::string& data) {
        REQUIRE(::send(peer.get(), data.data(), data.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(data.size()));
        server.onReady(server.interests().at(0).fd, POLLIN);
    }
};

}  // namespace

TEST_CASE("a value set by one rank reaches waiting and later ranks") {
    StoreServerThread server(3);
    SocketStore first(server.takeSocket(0));
    SocketStore second(server.takeSocket(1));
    SocketStore third(server.takeSocket(2));
    std::string large(900'000, 'x');  // size that exceeds the buffer of a socket
    std::vector<char> seen;
    auto waiting = errorOf([&] { seen = second.get("address", milliseconds(20'000)); });
    first.set("address", bytes(large));
    CHECK(waiting.get().empty());
    CHECK(seen == bytes(large));
    CHECK(third.get("address", milliseconds(20'000)) == bytes(large));
    first.set("address", bytes("short"));
    CHECK(first.get("address", milliseconds(20'000)) == bytes("short"));
}

TEST_CASE("waiting for a key ends at the deadline with its name") {
    StoreServerThread server(1);
    SocketStore store(server.takeSocket(0));
    CHECK_THROWS_WITH(store.get("nobody", milliseconds(50)), containing("'nobody'") && containing("until the timeout"));
    InProcessStore local;
    CHECK_THROWS_WITH(local.get("nobody", milliseconds(50)), containing("'nobody' within 50 ms"));
}

TEST_CASE("a store without its supervisor fails immediately") {
    auto [serverEnd, rankEnd] = socketPair();
    SocketStore store(std::move(rankEnd));
    serverEnd.reset();
    CHECK_THROWS_AS(store.get("key", milliseconds(20'000)), CommError);
    CHECK_THROWS_AS(store.set("key", bytes("value")), CommError);
}

TEST_CASE("a value the store cannot hold is refused before it is sent") {
    auto [serverEnd, rankEnd] = socketPair();
    SocketStore store(std::move(rankEnd));
    CHECK_THROWS_WITH(store.set("key", std::vector<char>(StoreFrame::kMaxBytes)), containing("1 MiB"));
    CHECK_THROWS_AS(store.set(std::string(2000, 'k'), {}), CommError);
}

TEST_CASE("an in-process store passes values between threads") {
    InProcessStore store;
    std::vector<char> seen;
    auto waiting = errorOf([&] { seen = store.get("key", milliseconds(20'000)); });
    store.set("key", bytes("value"));
    CHECK(waiting.get().empty());
    CHECK(seen == bytes("value"));
}

TEST_CASE("frames survive any chunking") {
    std::string stream = encodeStoreFrame({StoreFrame::Verb::kSet, "a", "one"}) +
                         encodeStoreFrame({StoreFrame::Verb::kGet, "", ""}) +
                         encodeStoreFrame({StoreFrame::Verb::kValue, "key", std::string(300, '\0')});
    for (std::size_t chunk : {std::size_t{1}, std::size_t{7}, stream.size()}) {
        StoreFrameReader reader;
        std::vector<StoreFrame> frames;
        for (std::size_t start = 0; start < stream.size(); start += chunk) {
            reader.append(std::string_view(stream).substr(start, chunk));
            while (auto frame = reader.next()) frames.push_back(*frame);
        }
        REQUIRE(frames.size() == 3);
        CHECK(frames[0].key == "a");
        CHECK(frames[0].value == "one");
        CHECK(frames[1].verb == StoreFrame::Verb::kGet);
        CHECK(frames[2].value == std::string(300, '\0'));
        CHECK_FALSE(reader.isBroken());
    }
}

TEST_CASE("a peer that breaks the protocol is disconnected and named") {
    std::string bad =
        GENERATE(as<std::string>{},  //
                 std::string("\xff\xff\xff\xff", 4), std::string("\0\0\0\0", 4), std::string("\x03\0\0\0Z\0\0", 7),
                 std::string("\x03\0\0\0S\xff\0", 7), std::string("\x03\0\0\0S\xff\xff", 7));
    ByHand hand;
    hand.write(bad);
    CHECK(hand.server.connectionCount() == 0);
    auto problems = hand.server.takeProblems();
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].text(), containing("rank 0 sent bytes that do not follow the store's protocol"));
    CHECK(hand.server.takeProblems().empty());
}

TEST_CASE("a peer that sends a second request before the answer, or an answer, is disconnected") {
    for (auto verb : {StoreFrame::Verb::kGet, StoreFrame::Verb::kValue}) {
        ByHand hand;
        hand.write(encodeStoreFrame({StoreFrame::Verb::kGet, "key", ""}));
        CHECK(hand.server.connectionCount() == 1);
        hand.write(encodeStoreFrame({verb, "key", ""}));
        CHECK(hand.server.connectionCount() == 0);
    }
}

TEST_CASE("a peer that fills the store is disconnected at the limit") {
    ByHand hand;
    std::string value(100'000, 'x');
    std::size_t written = 0;
    for (; written < 1000 && hand.server.connectionCount() == 1; ++written) {
        hand.write(encodeStoreFrame({StoreFrame::Verb::kSet, std::to_string(written), value}));
    }
    CHECK(written == StoreServer::kMaxStoredBytes / value.size() + 1);
    CHECK_THAT(hand.server.takeProblems().at(0).text(), containing("64 MiB"));
}

TEST_CASE("arbitrary bytes never crash the server") {
    std::mt19937 generator(7);
    for (int round = 0; round < 500; ++round) {
        ByHand hand;
        std::string noise(generator() % 64, '\0');
        for (char& c : noise) c = static_cast<char>(generator() % 4 == 0 ? generator() : "SGV\0\1\3"[generator() % 6]);
        hand.write(noise);
        CHECK(hand.server.connectionCount() <= 1);
    }
}
