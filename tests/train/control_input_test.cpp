// SPDX-License-Identifier: Apache-2.0
#include "train/control/control_input.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <string>
#include <string_view>
#include <thread>

#include "launch/wire/greeting.h"
#include "launch/wire/line_socket.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::chrono::seconds kPatience{20};

struct Stream {
    Stream() {
        int fds[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
        near.reset(fds[0]);
        far.reset(fds[1]);
    }
    void sendText(std::string_view text) const {
        REQUIRE(write(far.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    UniqueFd near;
    UniqueFd far;
};

// Waits until `count` commands have been received and returns them.
std::vector<ControlCommand> received(ControlInput& control, std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    std::vector<ControlCommand> all;
    while (all.size() < count && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
        for (const ControlCommand& command : control.take(1)) all.push_back(command);
    }
    return all;
}

}  // namespace

TEST_CASE("commands arrive in any chunking, between unknown lines") {
    Stream stream;
    ControlInput control(stream.near.get(), [] {});
    CHECK_FALSE(control.hasCommand());
    stream.sendText("\n[1,2]\nnonsense\n{\"kind\":\"dance\"}\n{\"kind\":7}\n");
    stream.sendText(std::string(100'000, 'x') + "\n{\"ki");
    stream.sendText("nd\":\"rate\",\"value\":5}\n{\"kind\":\"stop\"}\n");
    CHECK(received(control, 2) == std::vector<ControlCommand>{{ControlKind::kRate, 5}, {ControlKind::kStop, 0}});
    CHECK_FALSE(control.hasCommand());
}

TEST_CASE("only a stop wakes a thread that waits for it, and the stop stays pending") {
    Stream stream;
    ControlInput control(stream.near.get(), [] {});
    stream.sendText("{\"kind\":\"pause\"}\n");
    REQUIRE(control.waitForCommand(kPatience));
    CHECK_FALSE(control.waitForStop(std::chrono::microseconds(1)));
    auto waiting = std::async(std::launch::async, [&] { return control.waitForStop(kPatience); });
    stream.sendText("{\"kind\":\"stop\"}\n");
    CHECK(waiting.get());
    CHECK(received(control, 2) == std::vector<ControlCommand>{{ControlKind::kPause, 0}, {ControlKind::kStop, 0}});
}

TEST_CASE("queries of this host's clock are answered at once during training") {
    Stream stream;
    std::promise<std::int64_t> zero;
    ControlInput control(
        stream.near.get(), [] {}, [&](std::int64_t us) { zero.set_value(us); });
    const auto ownUs = [] {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
    };
    const std::int64_t before = ownUs();
    stream.sendText(encodeTimeQuery({12345}));
    const auto line = receiveLine(stream.far.get(), 4096, std::chrono::steady_clock::now() + kPatience);
    REQUIRE(line);
    const auto answer = decodeTimeAnswer(*line);
    REQUIRE(answer);
    CHECK(answer->sentUs == 12345);
    CHECK(answer->us >= before);
    CHECK(answer->us <= ownUs());
    stream.sendText(encodeTimeQuery({12346, -77}));
    CHECK(zero.get_future().get() == -77);
    CHECK_FALSE(control.hasCommand());
}

TEST_CASE("the end of the control stream is reported once") {
    Stream stream;
    std::promise<void> ended;
    const ControlInput control(stream.near.get(), [&ended] { ended.set_value(); });
    stream.far.reset();
    CHECK(ended.get_future().wait_for(kPatience) == std::future_status::ready);
}

TEST_CASE("a control input whose stream stays silent can be destroyed") {
    Stream stream;
    {
        const ControlInput control(stream.near.get(), [] { FAIL("the stream did not end"); });
    }
    SUCCEED();
}
