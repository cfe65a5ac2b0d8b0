// SPDX-License-Identifier: Apache-2.0
// Tests of a classroom over a network. The hosts are network namespaces of this machine.
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>

#include "program.h"
#include "support/catch.h"
#include "support/network_hosts.h"
#include "support/places.h"

using namespace ringside;
using namespace std::chrono_literals;
using ringside::test::NetworkHosts;
namespace fs = std::filesystem;

namespace {

using WordList = std::vector<std::string>;

WordList plus(WordList one, const WordList& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

std::unique_ptr<Program> startOn(const NetworkHosts& network, int host, const WordList& arguments) {
    const std::string prefix = network.prefix(host);  // "nsenter --net=PATH "
    const std::string space = prefix.substr(prefix.find("--net"), prefix.rfind(' ') - prefix.find("--net"));
    return std::make_unique<Program>(plus({space, builtProgram("ringsidectl")}, arguments), -1, "/usr/bin/nsenter");
}

// A classroom with the host and the guest Bo on one network host, and the guest Ada on the other.
struct NetworkLesson {
    TemporaryDirectory scratch;
    fs::path out = scratch.path() / "run";
    NetworkHosts network;
    std::unique_ptr<Program> host, ada, bo;

    explicit NetworkLesson(const WordList& more) {
        host = startOn(network, 0,
                       plus({"host", "--ranks", "3", "--address", NetworkHosts::address(0), "--out", out}, more));
        const std::string code = joinCode();
        ada = join(1, "Ada", code);
        bo = join(0, "Bo", code);
    }
    std::string joinCode() const {
        for (int i = 0; i < 30 && host->output().find("join code: ") == std::string::npos; ++i) host->wait(1s);
        const std::size_t at = host->output().find("join code: ");
        REQUIRE(at != std::string::npos);
        return host->output().substr(at + 11, host->output().find('\n', at) - at - 11);
    }
    std::unique_ptr<Program> join(int where, const std::string& name, const std::string& code) const {
        return startOn(network, where,
                       {"join", "--code-file", codeFile(scratch.path() / (name + ".code"), code), "--name", name,
                        "--folder", (scratch.path() / name).string()});
    }
    bool hasEpoch() const {
        std::error_code error;
        return fs::exists(out / "checkpoints", error) && !fs::is_empty(out / "checkpoints", error);
    }
    Json summary() const { return jsonOf(out / "summary.json"); }
};

const WordList kSlowNetwork{
    "--min-ranks", "2", "--set", "training.epochs=50", "--set", "pitfalls.slow_rank=0", "--set", "pitfalls.slow_ms=5"};

bool mayNot() {
    const std::string why = NetworkHosts::whyNot();
    if (!why.empty()) WARN("skipped: " << why);
    return !why.empty();
}

}  // namespace

TEST_CASE("a computer on another network receives the data and trains over TCP") {
    if (mayNot()) return;
    const TemporaryDirectory data;
    std::ofstream csv(data.path() / "numbers.csv");
    for (int i = 0; i < 300; ++i) csv << i % 7 << ',' << i % 5 << ',' << i % 2 << '\n';
    csv.close();
    NetworkLesson lesson({"--set", "dataset.kind=csv", "--set",
                          "dataset.path=" + (data.path() / "numbers.csv").string(), "--set", "training.epochs=2"});
    CHECK(lesson.host->wait() == 0);
    CHECK(lesson.ada->wait() == 0);
    CHECK(lesson.bo->wait() == 0);
    INFO(lesson.host->output() << lesson.ada->output());
    CHECK(lesson.summary()["backend"] == "gloo");
    const Json ranks = jsonOf(lesson.out / "launch.json")["ranks"];
    REQUIRE(ranks.size() == 3);
    for (const Json& rank : ranks) {
        if (rank["host"] == "Ada") CHECK(rank["address"] == NetworkHosts::address(1));
    }
}

TEST_CASE("a classroom listens only at its address and the ports of its code") {
    if (mayNot()) return;
    const TemporaryDirectory scratch;
    const NetworkHosts network;
    const auto host = startOn(
        network, 0, {"host", "--ranks", "2", "--address", NetworkHosts::address(0), "--out", scratch.path() / "run"});
    for (int i = 0; i < 30 && host->output().find("join code: ") == std::string::npos; ++i) host->wait(1s);
    const std::size_t at = host->output().find("join code: ");
    REQUIRE(at != std::string::npos);
    const std::string said = host->output().substr(at + 11, host->output().find('/', at) - at - 11);
    std::string listening;
    std::FILE* list = ::popen((network.prefix(0) + "ss -Hltn").c_str(), "r");
    REQUIRE(list);
    std::array<char, 512> line{};
    int count = 0;
    for (; std::fgets(line.data(), line.size(), list); ++count) listening += line.data();
    ::pclose(list);
    INFO(listening);
    CHECK(count == 1);
    CHECK(contains(listening, " " + said + " "));
}

TEST_CASE("a classroom survives a cable that is unplugged for three seconds") {
    if (mayNot()) return;
    NetworkLesson lesson(kSlowNetwork);
    REQUIRE(eventually([&] { return lesson.hasEpoch(); }));
    lesson.network.unplug();
    ::usleep(3000000);
    lesson.network.plug();
    CHECK(lesson.host->wait() == 0);
    INFO(lesson.host->output());
    CHECK(lesson.summary()["state"] == "finished");
    CHECK(lesson.summary()["world_size"] == 3);
    CHECK(lesson.summary()["restarts"] == 0);
}

TEST_CASE("a classroom continues without a host that is unplugged or frozen") {
    if (mayNot()) return;
    for (const bool frozen : {false, true}) {
        NetworkLesson lesson(plus(kSlowNetwork, {"--set", "parallel.timeout_seconds=4"}));
        REQUIRE(eventually([&] { return lesson.hasEpoch(); }));
        if (frozen) {
            const std::vector<pid_t> pids = workerPids(lesson.out);
            const std::string telemetry = contentOf(lesson.out / "telemetry.jsonl");
            const bool adaIsFirst = telemetry.find("\"host\":\"Ada\"") < telemetry.find("\"host\":\"Bo\"");
            REQUIRE(pids.size() == 3);
            REQUIRE(::kill(pids[adaIsFirst ? 1 : 2], SIGSTOP) == 0);
            lesson.ada->signal(SIGSTOP);
        } else {
            lesson.network.unplug();
        }
        CHECK(lesson.host->wait(90s) == 0);
        CHECK(lesson.bo->wait() == 0);
        INFO(lesson.host->output());
        CHECK(lesson.summary()["state"] == "finished");
        CHECK(lesson.summary()["world_size"] == 2);
        CHECK(lesson.summary()["restarts"] == 1);
        lesson.ada->signal(SIGCONT);
    }
}
