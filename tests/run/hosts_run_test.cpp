// SPDX-License-Identifier: Apache-2.0
#include "run/hosts/hosts_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

std::vector<HostRanks> hostsOf(const std::string& list) {
    return parseHosts(list).value();
}

// Run whose remote shell is the shell of this computer and whose worker is a script.
struct ScriptedHosts {
    TemporaryDirectory scratch;
    HostsPlan plan;
    std::string log;
    std::vector<std::string> lines;
    UniqueFd signalReader, signalWriter;

    explicit ScriptedHosts(const std::string& script) {
        std::signal(SIGPIPE, SIG_IGN);
        int fds[2];
        REQUIRE(::pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0);
        signalReader.reset(fds[0]);
        signalWriter.reset(fds[1]);
        plan.worker = scratch.path() / "worker";
        std::ofstream(plan.worker) << "#!/bin/sh\ncd " << scratch.path().string() << "\n" << script << "\n";
        fs::permissions(plan.worker, fs::perms::owner_all);
        plan.shell = {"sh", "-c", "{command}"};
        plan.firstPause = 5ms;
    }
    int run() {
        HostsRun one(plan, {[this](const std::string& text) { log += text + "\n"; },
                            [this](int rank, const std::string& host, std::string_view line) {
                                lines.push_back(std::to_string(rank) + " " + host + " " + std::string(line));
                            }});
        return one.run(signalReader.get());
    }
    std::string file(const std::string& name) const {
        std::ifstream in(scratch.path() / name);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

}  // namespace

TEST_CASE("a list of hosts has a number of ranks for each host") {
    CHECK(hostsOf("node1:4,node2") == std::vector<HostRanks>{{"node1", 4}, {"node2", 1}});
    CHECK(countRanks(hostsOf("a:60,b:4")) == 64);
    for (const char* wrong : {"a:0", "a:65", "a:x", ":2", "-o:1", "a:1 "}) CHECK_FALSE(parseHosts(wrong).ok());
    CHECK(parseHosts("a:60,b:5").problem().text() == "--hosts names 65 ranks: give all hosts together 1 to 64 ranks");
    CHECK(parseHosts("").problem().text() == "--hosts names 0 ranks: give all hosts together 1 to 64 ranks");
}

TEST_CASE("a remote shell needs the place of its command") {
    CHECK(parseShell("ssh -T {host} {command}").value() == Words{"ssh", "-T", "{host}", "{command}"});
    CHECK_FALSE(parseShell("ssh {host}").ok());
    CHECK(shellWords({"ssh", "user@{host}", "{command}"}, "node1", "a b") == Words{"ssh", "user@node1", "a b"});
}

TEST_CASE("the next start has all hosts that respond, if they are enough and the first is one of them") {
    const auto all = hostsOf("a:2,b:2,c:1");
    const NextHosts same = chooseNextHosts(all, all, 0);
    CHECK((same.hosts == all && same.text.empty()));
    const NextHosts fewer = chooseNextHosts(all, hostsOf("a:2,c:1"), 3);
    CHECK(fewer.hosts == hostsOf("a:2,c:1"));
    CHECK(fewer.text ==
          "without b: 3 ranks continue, and the samples are assigned to them from the last complete epoch");
    const NextHosts few = chooseNextHosts(all, hostsOf("a:2,c:1"), 4);
    CHECK((few.hosts.empty() && few.text == "waiting for a response from b; press Ctrl+C to cancel"));
    CHECK(chooseNextHosts(all, hostsOf("a:2,b:2"), 0).hosts.empty());
    const NextHosts headless = chooseNextHosts(all, hostsOf("b:2,c:1"), 1);
    CHECK(headless.hosts.empty());
    CHECK(headless.text == "waiting for a response from a (a writes the run directory); press Ctrl+C to cancel");
    CHECK(chooseNextHosts(all, {}, 1).text.starts_with("waiting for a response from a, b, c "));
}

TEST_CASE("each rank of several hosts receives its number, the address of rank 0 and the token") {
    // Rank 0 waits for the others, because its end stops them.
    ScriptedHosts run(
        "echo \"$@\" > args.$7\nprintf %s $RINGSIDE_TOKEN > token.$7\necho hello\n: > done.$7\n"
        "[ $7 != 0 ] || while [ ! -e done.1 ] || [ ! -e done.2 ]; do sleep 0.01; done");
    run.plan.hosts = hostsOf("a:2,b");
    run.plan.arguments = {"it's", "--out", "DIR"};
    CHECK(run.run() == 0);
    CHECK(run.log.empty());
    CHECK(run.lines.size() == 3);
    CHECK(std::ranges::count(run.lines, "2 b hello") == 1);
    CHECK(run.file("args.2").starts_with("it's --out DIR --restart 0 --rank 2 --world-size 3 --master a:"));
    CHECK(run.file("token.0").size() == 32);
    CHECK(run.file("token.0") == run.file("token.2"));
}

TEST_CASE("a run on several hosts restarts from its last checkpoint until no restart is left") {
    ScriptedHosts run("echo \"$@\" >> args\nexit 12");
    run.plan.hosts = hostsOf("a");
    run.plan.resume = "first";
    run.plan.maxRestarts = 1;
    CHECK(run.run() == 12);
    const std::string arguments = run.file("args");
    CHECK(arguments.starts_with("--resume first --restart 0 "));
    CHECK(arguments.find("\n--resume auto --restart 1 ") != std::string::npos);
    CHECK(run.log == "restart 1 of 1 in 0 s\nthe maximum number of restarts was reached: 1 (--max-restarts)\n");
}

TEST_CASE("a wrong configuration is not repeated on several hosts") {
    ScriptedHosts run("echo x >> starts\nexit 2");
    run.plan.hosts = hostsOf("a");
    run.plan.maxRestarts = 3;
    CHECK(run.run() == 2);
    CHECK(run.file("starts") == "x\n");
}

TEST_CASE("after the loss of a host, the run waits for enough hosts and continues without it") {
    // The host b can be reached only until its rank has ended.
    ScriptedHosts run(
        "case \"$*\" in *'--restart 0 '*) ;; *) exit 0 ;; esac\n"
        "[ $4 = 1 ] && touch gone\nwhile [ ! -e gone ]; do sleep 0.01; done\nexit 12");
    const fs::path shell = run.scratch.path() / "shell";
    std::ofstream(shell) << "[ \"$1\" = b ] && [ -e " << (run.scratch.path() / "gone").string()
                         << " ] && exit 255\nexec sh -c \"$2\"\n";
    run.plan.shell = {"sh", shell.string(), "{host}", "{command}"};
    run.plan.hosts = hostsOf("a,b");
    run.plan.maxRestarts = 3;
    run.plan.minRanks = 1;
    CHECK(run.run() == 0);
    INFO(run.log);
    CHECK(run.log.find("without b: 1 ranks continue, ") != std::string::npos);
}

TEST_CASE("a signal stops all ranks of all hosts") {
    ScriptedHosts run("trap 'kill $!; exit 20' TERM\n: > ready\nsleep 60 &\nwait $!");
    run.plan.hosts = hostsOf("a:2,b");
    run.plan.maxRestarts = 3;
    REQUIRE(::write(run.signalWriter.get(), "x", 1) == 1);
    const int code = run.run();
    CHECK((code == 20 || code == 128 + SIGTERM));
    CHECK(run.log.find("restart") == std::string::npos);
}
