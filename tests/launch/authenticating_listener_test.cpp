// SPDX-License-Identifier: Apache-2.0
#include "launch/wire/authenticating_listener.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <chrono>

#include "launch/wire/greeting.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

struct TestListener {
    AuthenticatingListener listener;
    std::vector<std::string> lines;

    TestListener() { REQUIRE(listener.listen("127.0.0.1", 0, false)); }
    int port() const { return std::stoi(listener.address().substr(listener.address().rfind(':') + 1)); }
    UniqueFd connect() const {
        UniqueFd socket = connectTo("127.0.0.1", port(), Clock::now() + 5s);
        REQUIRE(socket);
        return socket;
    }
    void poll() {
        listener.poll([this](UniqueFd&, const std::string&, const std::string& line) {
            lines.push_back(line);
            return true;
        });
    }
    // Returns the number of descriptors that poll() reports as ready within the time.
    int ready(int milliseconds) const {
        std::vector<pollfd> waiting;
        listener.addInterests(waiting);
        return ::poll(waiting.data(), waiting.size(), milliseconds);
    }
    // Polls the listener until each of these connections has received its challenge.
    void challenge(std::vector<UniqueFd>& sockets) {
        for (UniqueFd& socket : sockets) {
            pollfd challenged{socket.get(), POLLIN, 0};
            for (int i = 0; i < 1000 && ::poll(&challenged, 1, 5) <= 0; ++i) poll();
        }
    }
};

void sendText(const UniqueFd& socket, const std::string& text) {
    REQUIRE(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
}

// Lowers the soft limit of open files during its lifetime.
class FewFiles {
  public:
    explicit FewFiles(rlim_t most) {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &m_before) == 0);
        const rlimit few{most, m_before.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    }
    ~FewFiles() { ::setrlimit(RLIMIT_NOFILE, &m_before); }
    FewFiles(const FewFiles&) = delete;
    FewFiles& operator=(const FewFiles&) = delete;

  private:
    rlimit m_before{};
};

}  // namespace

TEST_CASE("any number of unfinished lines leaves nothing for poll to report") {
    TestListener host;
    std::vector<UniqueFd> unauthenticated;
    for (int i = 0; i < 200; ++i) unauthenticated.push_back(host.connect());
    host.challenge(unauthenticated);
    for (const UniqueFd& one : unauthenticated) sendText(one, "{");
    // Each poll reads the bytes that have arrived. When all have been read, poll() must report nothing.
    for (int i = 0; i < 1000 && host.ready(50) > 0; ++i) host.poll();
    CHECK(host.ready(0) == 0);
    CHECK(host.lines.empty());
    // The rest of a line completes it.
    sendText(unauthenticated.front(), "}\nfor later");
    for (int i = 0; i < 1000 && host.lines.empty(); ++i) {
        host.ready(50);
        host.poll();
    }
    CHECK(host.lines == std::vector<std::string>{"{}"});
}

TEST_CASE("a line in pieces is read up to its newline and no further") {
    std::array<int, 2> pair{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
    const UniqueFd own(pair[0]), other(pair[1]);
    LineReader reader(10);
    sendText(other, "one");
    CHECK(reader.read(own.get()).state == LineResult::State::kNotYet);
    sendText(other, " line\nrest");
    const LineResult line = reader.read(own.get());
    CHECK(line.state == LineResult::State::kLine);
    CHECK(line.text == "one line");
    std::array<char, 16> rest{};
    REQUIRE(::recv(own.get(), rest.data(), rest.size(), MSG_DONTWAIT) == 4);
    CHECK(std::string(rest.data()) == "rest");
    sendText(other, "12345678901");
    CHECK(reader.read(own.get()).state == LineResult::State::kTooLong);
}

TEST_CASE("a host without file descriptors serves the newest connection and pauses if it can serve none") {
    TestListener host;
    std::vector<UniqueFd> unauthenticated;
    for (int i = 0; i < 8; ++i) unauthenticated.push_back(host.connect());
    host.challenge(unauthenticated);
    UniqueFd late = host.connect();
    const FewFiles few(static_cast<rlim_t>(late.get()) + 1);
    std::vector<UniqueFd> one;
    one.push_back(std::move(late));
    host.challenge(one);
    CHECK(host.listener.refusedConnections() >= 1);  // the oldest connection was closed to free a descriptor
    sendText(one.front(), "hello\n");
    for (int i = 0; i < 1000 && host.lines.empty(); ++i) {
        host.ready(50);
        host.poll();
    }
    CHECK(host.lines == std::vector<std::string>{"hello"});
}
