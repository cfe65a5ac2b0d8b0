// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "base/system/unique_fd.h"
#include "program.h"
#include "support/catch.h"

using namespace ringside;

namespace {

// Returns the ports with listeners on the loopback address (proc(5)).
std::set<int> listeningPorts() {
    std::set<int> ports;
    std::ifstream table("/proc/self/net/tcp");
    for (std::string line; std::getline(table, line);) {
        const std::size_t at = line.find("0100007F:");
        if (at == std::string::npos || line.find(" 00000000:0000 0A ") == std::string::npos) continue;
        ports.insert(std::stoi(line.substr(at + 9, 4), nullptr, 16));
    }
    return ports;
}

// Connects to each port that is not in `notThese` as soon as it begins to listen, and sends garbage, until `over`. Any
// user of the host can do this.
void disturbPorts(const std::set<int>& notThese, const std::atomic<bool>& over) {
    const std::string garbage(1000, 'x');
    while (!over) {
        for (const int port : listeningPorts()) {
            if (notThese.contains(port)) continue;
            const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_port = htons(static_cast<std::uint16_t>(port));
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
            ::send(socket.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
        }
    }
}

}  // namespace

TEST_CASE("unauthenticated connections to every port of a run change nothing and are counted in its log") {
    const std::set<int> before = listeningPorts();
    std::atomic<bool> over = false;
    std::jthread intruder([&] { disturbPorts(before, over); });
    const std::unique_ptr<std::atomic<bool>, void (*)(std::atomic<bool>*)> ending(&over,
                                                                                  [](auto* flag) { *flag = true; });
    const auto lossesWith = [](const std::filesystem::path& out, std::string& said) {
        Program run({"run", "--out", out, "--set", "parallel.backend=gloo", "--set", "parallel.world_size=4", "--set",
                     "training.epochs=1"});
        REQUIRE(run.wait() == 0);
        said = run.output();
        return contentOf(out / "metrics.jsonl");
    };
    const TemporaryDirectory scratch;
    std::string said;
    std::string losses;
    bool counted = false;
    // Several attempts, because the ports of a run are open for some milliseconds only.
    for (int i = 0; i < 20 && !counted; ++i) {
        losses = lossesWith(scratch.path() / std::to_string(i), said);
        counted = contains(said, "refused during the rendezvous: ");
    }
    CHECK(counted);
    over = true;
    intruder.join();
    CHECK(lossesWith(scratch.path() / "alone", said) == losses);
    CHECK_FALSE(contains(said, "from outside"));
}
