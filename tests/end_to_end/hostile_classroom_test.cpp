// SPDX-License-Identifier: Apache-2.0
// Tests of malicious members of a classroom: a malicious host against the real guest, malicious guests against the real
// host, and a rank that sends garbage to the other ranks.
#include <poll.h>
#include <sys/socket.h>

#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <thread>

#include "base/crypto/secret.h"
#include "launch/classroom/classroom_guest.h"
#include "launch/classroom/classroom_host.h"
#include "launch/rendezvous/rendezvous_guest.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "program.h"
#include "run/prepare/classroom_data.h"
#include "run/prepare/experiment_file.h"
#include "support/catch.h"
#include "support/network_hosts.h"

using namespace ringside;
using namespace std::chrono_literals;
using ringside::test::NetworkHosts;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

// Returns the version of the programs under test. A classroom refuses guests of other versions.
std::string version() {
    Program program({"--version"});
    REQUIRE(program.wait() == 0);
    const std::string output = program.output();
    const std::size_t at = output.find_first_of("0123456789");
    return output.substr(at, output.find_first_not_of("0123456789.", at) - at);
}

// A host that offers arbitrary experiments, and a real guest with a file that was not offered.
struct HostileHost {
    TemporaryDirectory scratch;
    fs::path folder = scratch.path() / "class";
    ClassroomHost host{{"127.0.0.1", 0, version(), "hostile", 4}};
    std::vector<std::string> notes;
    std::unique_ptr<Program> guest;

    HostileHost() {
        std::ofstream(scratch.path() / "accounts.csv") << "user,amount\nada,1\nbo,2\n";
        REQUIRE(host.listen().empty());
    }
    void offer(const RunConfig& config, const std::map<std::string, std::string>& files = {}) {
        ClassroomOffer offer;
        offer.config = config.toText();
        std::vector<fs::path> sources;
        for (const auto& [name, content] : files) {
            sources.push_back(scratch.path() / ("offered" + std::to_string(sources.size())));
            std::ofstream(sources.back()) << content;
            offer.files.push_back({name, static_cast<std::int64_t>(content.size()), sha256Text(content)});
        }
        host.offer(offer, sources);
        guest = std::make_unique<Program>(Words{"join", "--code-file",
                                                codeFile(scratch.path() / "code", host.code().text()), "--name", "Ada",
                                                "--folder", folder.string()});
    }
    void pollUntil(const std::function<bool()>& holds) {
        REQUIRE(eventually([&] {
            host.poll(Clock::now());
            for (const std::string& note : host.takeNotes()) notes.push_back(note);
            return holds();
        }));
    }
    std::string allNotes() const {
        std::string all;
        for (const std::string& note : notes) all += note + "\n";
        return all;
    }
    // The message contains no cell, no column name and no directory of the guest's computer.
    bool hasNoPrivateText(const std::string& text) const {
        return !contains(text, "ada") && !contains(text, "user") && !contains(text, scratch.path().string());
    }
    bool hasNoLeftovers() const {
        for (const auto& one : fs::directory_iterator(folder)) {
            if (one.path().filename() != "files") return false;
        }
        return true;
    }
};

RunConfig csvOf(const std::string& path) {
    RunConfig config = classConfig({}, 2);
    config.dataset.kind = DatasetKind::kCsv;
    config.dataset.path = path;
    return config;
}

}  // namespace

TEST_CASE("a host cannot read a file of the guest by naming it in the experiment") {
    for (const std::string way : {"absolute", "parents"}) {
        CAPTURE(way);
        HostileHost hostile;
        hostile.offer(
            csvOf(way == "absolute" ? (hostile.scratch.path() / "accounts.csv").string() : "../../../accounts.csv"));
        hostile.pollUntil([&] { return contains(hostile.allNotes(), "Ada has left"); });
        CHECK(hostile.guest->wait() == 2);
        CHECK(contains(hostile.guest->output(), "dataset.path of the offered experiment is not an offered file"));
        CHECK(contains(hostile.allNotes(), "Ada: dataset.path of the offered experiment is not an offered file"));
        CHECK(hostile.hasNoPrivateText(hostile.allNotes().substr(hostile.allNotes().find("Ada: "))));
        CHECK(hostile.hasNoLeftovers());
    }
}

TEST_CASE("read errors of a guest are reported to the host without cells and paths") {
    HostileHost hostile;
    hostile.offer(csvOf("data/x.csv"), {{"data/x.csv", "user,amount\n1,1\nada,2\n3,0\n4,1\n"}});
    hostile.pollUntil([&] { return !hostile.host.readyMembers(Clock::now()).empty(); });
    LaunchLayout layout;
    layout.worldSize = 2;
    layout.masterHosts = {"127.0.0.1"};
    layout.masterPort = hostile.host.runPort();
    const std::string token = hostile.host.start(hostile.host.readyMembers(Clock::now()));
    RendezvousTerms terms = termsOf(layout, token, version(), experimentHash(csvOf("data/x.csv")));
    RendezvousHost meeting(terms, layout, "hostile");
    REQUIRE(meeting.listen().empty());
    Result<Gathering> gathering = meeting.gather(-1, [](const std::string&) {});
    REQUIRE(gathering.ok());
    const Guest& rank = gathering.value().guests.front();
    Welcome welcome;
    welcome.runDirectory = (hostile.scratch.path() / "run").string();
    welcome.backend = "gloo";
    welcome.device = "cpu";
    welcome.resume = (hostile.scratch.path() / "accounts.csv").string();
    welcome.hosts = {0, 1};
    welcome.addresses = {"127.0.0.1", "127.0.0.1"};
    welcome.sharedName = "unused";
    REQUIRE(sendLine(rank.control.get(), encodeWelcome(welcome), Clock::now() + 10s));
    std::optional<Farewell> farewell;
    while (const auto line = receiveLine(rank.control.get(), kMaxGreetingBytes, Clock::now() + 60s)) {
        if ((farewell = decodeFarewell(*line))) break;
    }
    REQUIRE(farewell);
    std::string telemetry;
    while (const auto line = receiveLine(rank.telemetry.get(), 1 << 20, Clock::now() + 10s)) telemetry += *line + "\n";
    hostile.pollUntil([&] { return contains(hostile.allNotes(), "Ada's rank ended with code 2"); });
    CHECK(farewell->exitCode == 2);
    INFO(telemetry << farewell->text << hostile.allNotes());
    CHECK(contains(telemetry, "data/x.csv"));
    for (const std::string& text : {farewell->text, telemetry, hostile.allNotes()}) {
        CHECK_FALSE(contains(text, "\\\"ada"));
        CHECK_FALSE(contains(text, "\"ada"));
        CHECK_FALSE(contains(text, hostile.folder.string()));
    }
    hostile.guest->signal(SIGTERM);
    CHECK(hostile.guest->wait() == 20);
    CHECK(contains(hostile.guest->output(), "\"ada\""));  // the guest's own user sees the cause
    CHECK(hostile.hasNoLeftovers());
}

TEST_CASE("the rank of a guest refuses files that were not offered, in every way to start it") {
    const TemporaryDirectory offer;
    const auto rank = [&] {
        return std::make_unique<Program>(Words{"RINGSIDE_GUEST=1", "RINGSIDE_TOKEN=x", builtProgram("ringside-worker"),
                                               (offer.path() / "experiment.json").string(), "--rank", "1",
                                               "--world-size", "2", "--master", "127.0.0.1:1", "--wait", "1"},
                                         -1, "/usr/bin/env");
    };
    std::ofstream(offer.path() / "experiment.json") << csvOf("/etc/passwd").toText();
    const auto absolute = rank();
    CHECK(absolute->wait() == 2);
    CHECK(contains(absolute->output(), "dataset.path of the offered experiment is not an offered file"));
    fs::create_directories(offer.path() / "data");
    fs::create_symlink("/etc/passwd", offer.path() / "data" / "x.csv");
    std::ofstream(offer.path() / "experiment.json") << csvOf("data/x.csv").toText();
    const auto link = rank();
    CHECK(link->wait() == 2);
    CHECK(contains(link->output(), "data/x.csv is not a regular file"));
}

namespace {

// A guest that knows the join code and becomes a rank. Tests then use its connection for an attack.
class HostileGuest {
  public:
    HostileGuest(const JoinCode& code, const fs::path& folder) : m_code(code) {
        Result<UniqueFd> socket = connectToClassroom(code, "Eve", version(), "Eve's key", Clock::now() + 10s);
        REQUIRE(socket.ok());
        m_guest = std::make_unique<ClassroomGuest>(std::move(socket).value(), folder, 1 << 20);
    }
    // Becomes the rank that the host assigns.
    Joined join() {
        std::optional<ClassroomLine> line;
        const bool started = eventually([&] {
            m_guest->read();
            m_guest->send({ClassroomLine::Kind::kHere, "training"});
            line = m_guest->next();
            return line && line->kind == ClassroomLine::Kind::kStart;
        });
        REQUIRE(started);
        Problems problems;
        const Result<Experiment> experiment =
            loadExperiment((m_guest->offerDirectory() / "experiment.json").string(), {}, problems);
        REQUIRE(experiment.ok());
        RunConfig config = experiment.value().config;
        config.parallel.worldSize = line->start.worldSize;
        LaunchLayout layout;
        layout.masterHosts = {m_code.host};
        layout.masterPort = line->start.port;
        const RendezvousTerms terms =
            termsOf(layout, tokenOfStart(m_code.token, line->start), version(), experimentHash(config));
        Result<Joined> joined = joinRendezvous(terms, line->start.rank, line->start.worldSize, "Eve", "Eve's key");
        REQUIRE(joined.ok());
        return std::move(joined).value();
    }
    // Returns the outcome of the classroom for this guest.
    std::string receiveToEnd() {
        std::string text;
        eventually([&] {
            const bool open = m_guest->read();
            while (const auto line = m_guest->next()) {
                if (line->kind == ClassroomLine::Kind::kOver) text = line->text;
            }
            return !open;
        });
        return text;
    }

  private:
    JoinCode m_code;
    std::unique_ptr<ClassroomGuest> m_guest;
};

std::string joinCodeOf(Program& host) {
    for (int i = 0; i < 30 && !contains(host.output(), "join code: "); ++i) host.wait(1s);
    const std::size_t at = host.output().find("join code: ");
    REQUIRE(at != std::string::npos);
    return host.output().substr(at + 11, host.output().find('\n', at) - at - 11);
}

}  // namespace

TEST_CASE("a guest that sends garbage to the host is removed, and the other guests finish training") {
    const std::string garbage = GENERATE("telemetry", "store", "farewell");
    CAPTURE(garbage);
    TemporaryDirectory scratch;
    Program host({"host", "--address", "127.0.0.1", "--ranks", "3", "--min-ranks", "2", "--out",
                  (scratch.path() / "run").string(), "--set", "training.epochs=2"});
    const std::string code = joinCodeOf(host);
    HostileGuest eve(JoinCode::parse(code).value(), scratch.path() / "Eve");
    Program ada({"join", "--code-file", codeFile(scratch.path() / "code", code), "--name", "Ada", "--folder",
                 (scratch.path() / "Ada").string()});
    Joined rank = eve.join();
    if (garbage == "telemetry") {
        for (int i = 0; i < 100; ++i)
            sendLine(rank.channels.telemetry.get(), "{\"kind\":\"end\",\"state\":\"finished\"}", Clock::now() + 5s);
    } else if (garbage == "store") {
        sendLine(rank.channels.store.get(), std::string(4096, '\xff'), Clock::now() + 5s);
    } else {
        sendLine(rank.channels.control.get(), encodeFarewell({2, "lower optimizer.lr"}), Clock::now() + 5s);
        rank.channels = {};
    }
    CHECK_THAT(eve.receiveToEnd(), containing("removed from the class"));
    CHECK(host.wait() == 0);
    CHECK(ada.wait() == 0);
    INFO(host.output());
    CHECK(contains(host.output(), "Eve was removed: it "));
    CHECK(contains(host.output(), " on Eve "));
    const Json summary = jsonOf(scratch.path() / "run" / "summary.json");
    CHECK(summary["state"] == "finished");
    CHECK(summary["world_size"] == 2);
}

TEST_CASE("a guest with garbage gradients or messages is named and removed, and the other guests continue") {
    if (const std::string why = NetworkHosts::whyNot(); !why.empty()) {
        WARN("skipped: " << why);
        return;
    }
    const std::string garbage = GENERATE("poison", "misframe");
    CAPTURE(garbage);
    const TemporaryDirectory scratch;
    const NetworkHosts network;
    const auto startOn = [&](int where, const Words& environment, const fs::path& program, Words arguments) {
        const std::string prefix = network.prefix(where);  // "nsenter --net=PATH "
        Words all{prefix.substr(prefix.find("--net"), prefix.rfind(' ') - prefix.find("--net")), "/usr/bin/env"};
        all.insert(all.end(), environment.begin(), environment.end());
        all.push_back(program.string());
        all.insert(all.end(), arguments.begin(), arguments.end());
        return std::make_unique<Program>(all, -1, "/usr/bin/nsenter");
    };
    const fs::path real = builtProgram("ringsidectl");
    const fs::path faulty = testProgram("faults/ringsidectl");
    const auto host = startOn(0, {}, real,
                              {"host", "--ranks", "3", "--min-ranks", "2", "--address", NetworkHosts::address(0),
                               "--out", (scratch.path() / "run").string(), "--set", "training.epochs=12", "--set",
                               "pitfalls.slow_rank=0", "--set", "pitfalls.slow_ms=5"});
    const fs::path code = codeFile(scratch.path() / "code", joinCodeOf(*host));
    const auto join = [&](int where, const Words& environment, const fs::path& program, const std::string& name) {
        return startOn(where, environment, program,
                       {"join", "--code-file", code, "--name", name, "--folder", (scratch.path() / name).string()});
    };
    const auto ada = join(1, {"RINGSIDE_FAULT=" + garbage + "@step=40:any"}, faulty, "Ada");
    const auto bo = join(0, {}, real, "Bo");
    CHECK(host->wait() == 0);
    CHECK(bo->wait() == 0);
    CHECK(ada->wait() == 2);
    INFO(host->output() << ada->output());
    CHECK(contains(host->output(), "on Ada violates the protocol of the run: "));
    CHECK(contains(host->output(), "Ada was removed"));
    CHECK_FALSE(contains(host->output(), "optimizer.lr"));
    const Json summary = jsonOf(scratch.path() / "run" / "summary.json");
    CHECK(summary["state"] == "finished");
    CHECK(summary["world_size"] == 2);
    CHECK(summary["restarts"] == 1);
}
