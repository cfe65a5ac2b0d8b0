// SPDX-License-Identifier: Apache-2.0
#include "exported_run.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>

#include "base/system/unique_fd.h"
#include "end_to_end/program.h"
#include "support/catch.h"
#include "support/places.h"

namespace ringside {
namespace {

constexpr std::chrono::seconds kDeadline(200);

// Returns a port that is free at the moment.
int freePort() {
    const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof address;
    REQUIRE(::bind(socket.get(), any, length) == 0);
    REQUIRE(::getsockname(socket.get(), any, &length) == 0);
    return ntohs(address.sin_port);
}

}  // namespace

void runPython(const std::vector<std::string>& arguments) {
    Program python(arguments, -1, torchPython());
    const int rc = python.wait(kDeadline);
    INFO("python3-torch must be installed (or configure with RINGSIDE_WITHOUT_PYTORCH=ON)\n" << python.output());
    REQUIRE(rc == 0);
}

void runRanksAsTorchrun(const std::vector<std::string>& arguments, int ranks) {
    const std::string port = std::to_string(freePort());
    std::vector<std::unique_ptr<Program>> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::string number = std::to_string(rank);
        std::vector<std::string> command = {"RANK=" + number,
                                            "LOCAL_RANK=" + number,
                                            "WORLD_SIZE=" + std::to_string(ranks),
                                            "MASTER_ADDR=127.0.0.1",
                                            "MASTER_PORT=" + port,
                                            "GLOO_SOCKET_IFNAME=lo",
                                            torchPython()};
        command.insert(command.end(), arguments.begin(), arguments.end());
        programs.push_back(std::make_unique<Program>(command, -1, "/usr/bin/env"));
    }
    for (const auto& program : programs) {
        const int rc = program->wait(kDeadline);
        INFO(program->output());
        REQUIRE(rc == 0);
    }
}

}  // namespace ringside
