// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include <array>

#include "comm/tcp/peer_handshake.h"
#include "comm/tcp/peer_links.h"
#include "mutator.h"
#include "support/catch.h"

using namespace ringside;

namespace {

using State = PeerHandshake::State;

void give(PeerHandshake& handshake, std::string_view bytes) {
    while (!bytes.empty() && handshake.bytesExpected() > 0) {
        const std::size_t count = std::min(bytes.size(), handshake.bytesExpected());
        handshake.receive(bytes.substr(0, count));
        bytes.remove_prefix(count);
    }
}

std::string message(std::uint64_t slot, std::uint64_t length, const std::string& bytes) {
    const std::array<std::uint64_t, 2> header{slot, length};
    return std::string(reinterpret_cast<const char*>(header.data()), sizeof header) + bytes;
}

}  // namespace

TEST_CASE("a damaged handshake admits no connection") {
    const Secret secret = randomSecret();
    for (int round = 0; round < 200; ++round) {
        PeerHandshake initiator = PeerHandshake::initiator(secret, 2, 1);
        PeerHandshake acceptor = PeerHandshake::acceptor(secret, 1, 4);
        give(initiator, acceptor.takeOutput());
        const std::string claim = initiator.takeOutput();
        fuzz::Mutator mutator({claim}, {std::string(4, '\0'), "\3", "ringside peer 1\n", std::string(16, 'x')},
                              static_cast<std::uint32_t>(round));
        for (int i = 0; i < 50; ++i) {
            const std::string damaged = mutator.next();
            PeerHandshake other = acceptor;
            give(other, damaged);
            INFO("round " << round << ", " << i);
            REQUIRE((other.state() != State::kDone || damaged.substr(0, claim.size()) == claim));
        }
        give(acceptor, claim);
        REQUIRE(acceptor.state() == State::kDone);
    }
}

TEST_CASE("damaged messages of a peer end its link or are received, without other effects") {
    const std::vector<std::string> corpus = {message(1, 4, "abcd") + message(2, 0, "") + message(1, 4, "efgh"),
                                             message(2, 0, "") + message(3, 2, "xy") + message(1, 4, "ijkl")};
    const std::vector<std::string> words = {std::string(8, '\xff'), std::string(8, '\0'), message(1, 5, "12345"),
                                            message(9, std::uint64_t{1} << 60U, ""), std::string(1, '\4')};
    fuzz::Mutator mutator(corpus, words, 1);
    for (int i = 0; i < 3000; ++i) {
        std::array<int, 2> pair{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
        std::vector<UniqueFd> sockets(1);
        sockets.emplace_back(pair[0]);
        UniqueFd other(pair[1]);
        PeerLinks links(std::move(sockets));
        LinkCounters user;
        std::string four = "....", none;
        links.receive(user, 1, 1, std::as_writable_bytes(std::span(four)));
        links.receive(user, 1, 2, std::as_writable_bytes(std::span(none)));
        const std::string bytes = mutator.next();
        [[maybe_unused]] const ssize_t sent = ::send(other.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        other.reset();
        INFO("round " << i);
        int received = 0;
        try {
            for (; received < 2; ++received) links.waitUntilReceived(user, std::chrono::seconds(9));
        } catch (const LinkError& error) {
            REQUIRE(error.peer() == 1);
        }
    }
}
