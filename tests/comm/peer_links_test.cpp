// SPDX-License-Identifier: Apache-2.0
#include "comm/tcp/peer_links.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <future>
#include <thread>

#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

// Links of rank 0, and the other end of each of their sockets.
struct Linked {
    std::vector<UniqueFd> others;
    std::unique_ptr<PeerLinks> links;

    explicit Linked(int peers = 1) {
        std::vector<UniqueFd> sockets(1);
        for (int i = 0; i < peers; ++i) {
            std::array<int, 2> pair{};
            REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
            sockets.emplace_back(pair[0]);
            others.emplace_back(pair[1]);
        }
        links = std::make_unique<PeerLinks>(std::move(sockets));
    }
    // Sends a message as a valid peer does.
    void sendText(std::uint64_t slot, const std::string& bytes, int peer = 1) const {
        const std::array<std::uint64_t, 2> header{slot, bytes.size()};
        std::string all(reinterpret_cast<const char*>(header.data()), sizeof header);
        all += bytes;
        sendRaw(all, peer);
    }
    void sendRaw(const std::string& bytes, int peer = 1) const {
        REQUIRE(::send(others[static_cast<std::size_t>(peer - 1)].get(), bytes.data(), bytes.size(), 0) ==
                static_cast<ssize_t>(bytes.size()));
    }
};

// Returns both ends of a TCP connection of this computer.
std::array<UniqueFd, 2> connectedSockets() {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener.get(), plain, size) == 0);
    REQUIRE(::listen(listener.get(), 1) == 0);
    REQUIRE(::getsockname(listener.get(), plain, &size) == 0);
    UniqueFd near(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::connect(near.get(), plain, size) == 0);
    UniqueFd far(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    REQUIRE(far);
    return {std::move(near), std::move(far)};
}

std::span<std::byte> in(std::string& text) {
    return std::as_writable_bytes(std::span(text));
}

constexpr std::chrono::milliseconds kSoon = 10s;

}  // namespace

TEST_CASE("messages of a slot keep their order and slots do not mix, requested before or after arrival") {
    Linked one;
    LinkCounters user;
    std::string first(3, '.'), second(3, '.'), other(2, '.'), empty;
    one.links->receive(user, 1, 7, in(first));
    one.sendText(9, "xy");
    one.sendText(7, "abc");
    one.sendText(7, "def");
    one.sendText(8, "");
    one.links->waitUntilReceived(user, kSoon);
    CHECK(first == "abc");
    CHECK(user.receivedFrom == 1);
    one.links->receive(user, 1, 8, in(empty));
    one.links->waitUntilReceived(user, kSoon);
    one.links->receive(user, 1, 7, in(second));
    one.links->waitUntilReceived(user, kSoon);
    CHECK(second == "def");
    one.links->receive(user, 1, 9, in(other));
    one.links->waitUntilReceived(user, kSoon);
    CHECK(other == "xy");
}

TEST_CASE("a message that is requested while it arrives continues into its buffer") {
    Linked one;
    LinkCounters user, asking;
    std::string big(300'000, '.'), small(1, '.');
    std::string sent(big.size(), '\0');
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 31 % 251);
    one.links->receive(user, 1, 2, in(small));
    const std::array<std::uint64_t, 2> header{1, sent.size()};
    one.sendRaw(std::string(reinterpret_cast<const char*>(header.data()), sizeof header) + sent.substr(0, 100'000));
    CHECK_THROWS_WITH(one.links->waitUntilReceived(user, 20ms), containing("timeout was reached"));
    one.links->receive(asking, 1, 1, in(big));
    auto rest = std::async(std::launch::async, [&] { one.sendRaw(sent.substr(100'000)); });
    one.links->waitUntilReceived(asking, kSoon);
    rest.get();
    CHECK(big == sent);
    one.sendText(2, "!");
    one.links->waitUntilReceived(user, kSoon);
    CHECK(small == "!");
}

TEST_CASE("no message of a peer is read before it is requested") {
    Linked one(2);
    LinkCounters user;
    std::string wanted(1, '.');
    one.sendText(1, std::string(50'000, 'x'), 2);
    one.sendText(5, "!", 1);
    one.links->receive(user, 1, 5, in(wanted));
    one.links->waitUntilReceived(user, kSoon);
    CHECK(wanted == "!");
    int untaken = 0;  // still on its way
    REQUIRE(::ioctl(one.others[1].get(), SIOCOUTQ, &untaken) == 0);
    CHECK(untaken >= 50'000);
    std::string later(50'000, '.');
    one.links->receive(user, 2, 1, in(later));
    one.links->waitUntilReceived(user, kSoon);
    CHECK(later == std::string(50'000, 'x'));
}

TEST_CASE("only waits for the rest of a message count as waits for a link") {
    std::array<UniqueFd, 2> ends = connectedSockets();
    std::vector<UniqueFd> sockets(2);
    sockets[1] = std::move(ends[0]);
    PeerLinks links(std::move(sockets));
    const auto send = [&](const std::string& bytes) {
        REQUIRE(::send(ends[1].get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    };
    const auto waitUs = [&] {
        const std::vector<LinkStatistics> all = links.statistics();
        REQUIRE(all.size() == 1);
        return all[0].waitUs;
    };
    LinkCounters user;
    std::string hello = "?", text(4, '.');
    links.send(user, 1, 0, in(hello));
    const std::array<std::uint64_t, 2> header{1, text.size()};
    const std::string begin(reinterpret_cast<const char*>(header.data()), sizeof header);
    links.receive(user, 1, 1, in(text));
    CHECK_THROWS_WITH(links.waitUntilReceived(user, 50ms), containing("timeout was reached"));
    CHECK(waitUs() == 0);  // the peer has not sent anything
    send(begin + "ab");
    CHECK_THROWS_WITH(links.waitUntilReceived(user, 50ms), containing("timeout was reached"));
    const std::int64_t waited = waitUs();
    CHECK(waited >= 40'000);
    std::this_thread::sleep_for(100ms);  // this rank computes
    send("cd");
    links.waitUntilReceived(user, kSoon);
    CHECK(text == "abcd");
    CHECK(waitUs() == waited);
    const std::int64_t before = waitUs();
    send(begin + "efgh");
    links.receive(user, 1, 1, in(text));
    links.waitUntilReceived(user, kSoon);
    CHECK(text == "efgh");
    CHECK(waitUs() == before);
}

TEST_CASE("a peer that closes or sends a wrong length fails only the waits for that peer") {
    Linked one(2);
    LinkCounters gone, wrong, well;
    std::string a(4, '.'), b(4, '.'), c(1, '.');
    one.links->receive(gone, 1, 1, in(a));
    one.others[0].reset();
    CHECK_THROWS_WITH(one.links->waitUntilReceived(gone, kSoon), containing("the peer closed the connection"));
    CHECK(gone.lostPeer == 1);
    one.sendText(3, "!", 2);
    one.links->receive(well, 2, 3, in(c));
    one.links->waitUntilReceived(well, kSoon);
    one.links->receive(wrong, 2, 1, in(b));
    one.sendText(1, "12345", 2);
    CHECK_THROWS_WITH(one.links->waitUntilReceived(wrong, kSoon),
                      containing("the peer sent a message of 5 bytes instead of 4 bytes"));
    LinkCounters after;
    one.links->send(after, 2, 1, std::as_bytes(std::span("x")));
    CHECK_THROWS_WITH(one.links->waitUntilSent(after, kSoon), containing("the peer sent a message of 5 bytes"));
}

TEST_CASE("a peer that sends unexpected messages without end is disconnected") {
    Linked one;
    LinkCounters user;
    std::string wanted(1, '.');
    one.links->receive(user, 1, 1, in(wanted));
    auto flood = std::async(std::launch::async, [&one] {
        const std::array<std::uint64_t, 2> header{9, 0};
        const std::string message(reinterpret_cast<const char*>(header.data()), sizeof header);
        for (int i = 0; i < 70000; ++i) {
            if (::send(one.others[0].get(), message.data(), message.size(), MSG_NOSIGNAL) <= 0) return;
        }
    });
    CHECK_THROWS_WITH(one.links->waitUntilReceived(user, kSoon),
                      containing("messages for which this rank has called no receive"));
    CHECK(user.lostByMisuse);
    one.links->close();
    flood.get();
}

TEST_CASE("an impossible length allocates no memory before its bytes arrive") {
    Linked one;
    LinkCounters user;
    std::string wanted(1, '.');
    one.links->receive(user, 1, 2, in(wanted));
    const std::array<std::uint64_t, 2> header{1, std::uint64_t{1} << 62};
    one.sendRaw(std::string(reinterpret_cast<const char*>(header.data()), sizeof header) + "abc");
    one.others[0].reset();
    CHECK_THROWS_WITH(one.links->waitUntilReceived(user, kSoon), containing("the peer closed the connection"));
}

TEST_CASE("a long message is transferred in the background, without a waiting thread") {
    Linked one;
    LinkCounters user;
    const std::string sent(5'000'000, 's');
    one.links->send(user, 1, 4, std::as_bytes(std::span(sent)));
    one.links->setBackgroundTransfer(true);
    std::string got(16 + sent.size(), '\0');
    REQUIRE(::recv(one.others[0].get(), got.data(), got.size(), MSG_WAITALL) == static_cast<ssize_t>(got.size()));
    CHECK(got.substr(16) == sent);
    one.links->waitUntilSent(user, kSoon);
    one.links->setBackgroundTransfer(false);
    std::string back(2, '.');
    one.links->receive(user, 1, 4, in(back));
    one.sendText(4, "ok");
    one.links->waitUntilReceived(user, kSoon);
    CHECK(back == "ok");
}

TEST_CASE("an abandoned buffer is not written any more") {
    Linked one;
    std::string kept(1, '.');
    {
        LinkCounters user;
        std::string gone(1, '.');
        one.links->receive(user, 1, 1, in(gone));
        one.links->cancelMessages(user);
    }
    LinkCounters user;
    one.links->receive(user, 1, 2, in(kept));
    one.sendText(1, "x");
    one.sendText(2, "y");
    one.links->waitUntilReceived(user, kSoon);
    CHECK(kept == "y");
}

TEST_CASE("abort ends current and future waits, with and without the thread") {
    const bool background = GENERATE(false, true);
    Linked one;
    LinkCounters user;
    std::string nothing(1, '.');
    one.links->receive(user, 1, 1, in(nothing));
    one.links->setBackgroundTransfer(background);
    auto waiting = std::async(std::launch::async, [&] { one.links->waitUntilReceived(user, kSoon); });
    one.links->abort();
    CHECK_THROWS_WITH(waiting.get(), containing("aborted"));
    CHECK_THROWS_WITH(one.links->waitUntilReceived(user, kSoon), containing("aborted"));
}
