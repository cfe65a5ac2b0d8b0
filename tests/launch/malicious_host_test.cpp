// SPDX-License-Identifier: Apache-2.0
// Tests of a guest of a classroom against a malicious host.
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string_view>

#include "base/crypto/secret.h"
#include "config/config_fields.h"
#include "config/run_config.h"
#include "launch/classroom/classroom_guest.h"
#include "launch/wire/line_socket.h"
#include "run/prepare/guest_experiment.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kMax = 1000;

ClassroomFile fileOf(const std::string& name, const std::string& content) {
    return {name, static_cast<std::int64_t>(content.size()), sha256Text(content)};
}

// Host end of a guest's connection. Sends arbitrary lines.
struct MaliciousHost {
    TemporaryDirectory scratch;
    fs::path folder = scratch.path() / "class";
    UniqueFd end;
    std::unique_ptr<ClassroomGuest> guest;
    int number = 0;
    bool isOpen = true;  // true until the guest ends the connection

    MaliciousHost() {
        std::array<int, 2> pair{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
        end = UniqueFd(pair[0]);
        guest = std::make_unique<ClassroomGuest>(UniqueFd(pair[1]), folder, kMax,
                                                 [](const ClassroomOffer& offer) { return guestProblem(offer); });
    }
    void sendText(const std::string& bytes) {
        for (std::string_view rest = bytes; !rest.empty();) {
            const ssize_t sent = ::send(end.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
            isOpen = guest->read() && isOpen;
        }
    }
    void sendText(const ClassroomLine& line) { sendText(encodeClassroomLine(line) + "\n"); }
    void offer(const std::vector<ClassroomFile>& files, const RunConfig& config = {}) {
        ClassroomOffer offer;
        offer.number = ++number;
        offer.config = config.toText();
        offer.files = files;
        sendText({ClassroomLine::Kind::kOffer, {}, 0, offer});
    }
    void send(const std::string& content) {
        sendText(encodeClassroomLine({ClassroomLine::Kind::kBytes, {}, static_cast<std::int64_t>(content.size())}) +
                 "\n" + content);
    }
    std::string problem() const { return guest->problem() ? guest->problem()->text() : ""; }
    // Returns all bytes that the guest has sent.
    std::string received() const {
        std::string all;
        std::array<char, 4096> bytes;
        for (ssize_t got = 0; (got = ::recv(end.get(), bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0;)
            all.append(bytes.data(), static_cast<std::size_t>(got));
        return all;
    }
    std::int64_t stored() const {
        std::int64_t bytes = 0;
        for (const auto& one : fs::recursive_directory_iterator(folder)) {
            if (one.is_regular_file()) bytes += static_cast<std::int64_t>(one.file_size());
        }
        return bytes;
    }
    // Destroys the guest. Returns true if its folder then contains nothing but the folder of received files.
    bool leavesNothing() {
        guest.reset();
        for (const auto& one : fs::directory_iterator(folder)) {
            if (one.path().filename() != "files") return false;
        }
        return true;
    }
};

}  // namespace

TEST_CASE("a guest refuses an experiment with a file that was not offered") {
    int paths = 0;
    for (const ConfigField& field : configFields()) {
        if (!field.isPath) continue;
        ++paths;
        for (const std::string value : {"/etc/passwd", "../secret.csv", "data/../../secret.csv", "other.csv", "~/x",
                                        "dat", "data/a.csv/", "data//a.csv", "./data/a.csv", "data/.", "."}) {
            CAPTURE(field.path, value);
            MaliciousHost host;
            RunConfig config;
            *std::get<std::string*>(field.slot(config)) = value;
            host.offer({fileOf("data/a.csv", "1,2\n")}, config);
            CHECK_THAT(host.problem(), containing(std::string(field.path) + " of the offered experiment"));
            const std::string received = host.received();
            CHECK_THAT(received, containing("is not an offered file"));
            CHECK(received.find(host.scratch.path().string()) == std::string::npos);
            CHECK(host.guest->offerDirectory().empty());
            CHECK(host.leavesNothing());
        }
        for (const std::string value : {"data/a.csv", "data"}) {
            CAPTURE(field.path, value);
            RunConfig config;
            *std::get<std::string*>(field.slot(config)) = value;
            CHECK_FALSE(guestProblem(config, {"data/a.csv", "labels/b"}));
        }
    }
    CHECK(paths == 4);  // dataset.path, dataset.labels_path, pipeline.schedule_file, training.resume
}

TEST_CASE("every text setting is classified as a file or not a file") {
    // A setting with a path must be marked as one, because otherwise guests of a classroom would open any file of their
    // computer. The settings listed here are texts that contain no path.
    const std::vector<std::string> namesNone{"name", "dataset.label_column", "parallel.interface"};
    for (const ConfigField& field : configFields()) {
        if (field.type != FieldType::kText || field.isPath) continue;
        CAPTURE(field.path);
        CHECK(std::find(namesNone.begin(), namesNone.end(), field.path) != namesNone.end());
    }
}

TEST_CASE("files with conflicting names are refused and leave no files") {
    const ClassroomFile a = fileOf("data/a", "x");
    for (const std::vector<ClassroomFile>& files : {std::vector<ClassroomFile>{a, fileOf("data/a/b", "y")},
                                                    {fileOf("data/a/b", "y"), a},
                                                    {a, a},
                                                    {a, fileOf("data/a", "other")},
                                                    {fileOf("experiment.json", "{}")},
                                                    {fileOf("experiment.json/x", "{}")}}) {
        MaliciousHost host;
        host.offer(files);
        CAPTURE(host.problem());
        CHECK_THAT(host.problem(), containing("the data of the classroom have a file"));
        CHECK(host.leavesNothing());
    }
}

TEST_CASE("unsafe names and impossible sizes are refused and nothing is written") {
    for (const std::string name : {"/etc/cron.d/x", "../../x", "a//b", "a/./b", "..", "."}) {
        CAPTURE(name);
        MaliciousHost host;
        host.offer({fileOf(name, "x")});
        CHECK(host.guest->offerDirectory().empty());
        CHECK_FALSE(host.isOpen);
        CHECK(host.stored() == 0);
        CHECK(host.leavesNothing());
    }
    for (const std::int64_t bytes : {kMax + 1, std::int64_t{10'000'000'000}, std::int64_t{1} << 50}) {
        MaliciousHost host;
        host.offer({{"data/a", bytes, std::string(64, 'a')}});
        CHECK_THAT(host.problem(), containing("--most-mb"));
        CHECK(host.leavesNothing());
    }
    MaliciousHost host;
    std::vector<ClassroomFile> many;
    for (int i = 0; i < 4096; ++i)
        many.push_back({"d/" + std::to_string(i), std::int64_t{1} << 50, std::string(64, 'a')});
    host.offer(many);
    CHECK_THAT(host.problem(), containing("--most-mb"));
    CHECK(host.leavesNothing());
}

TEST_CASE("repeated offers store no more than the limit, and the oldest files are deleted first") {
    MaliciousHost host;
    std::vector<std::string> contents;
    for (int i = 0; i < 25; ++i) {
        contents.push_back(std::string(900, static_cast<char>('a' + i)));
        host.offer({fileOf("data/x", contents.back())});
        host.send(contents.back());
        REQUIRE(host.problem().empty());
        REQUIRE_FALSE(host.guest->offerDirectory().empty());
    }
    std::int64_t kept = 0;
    for (const auto& one : fs::directory_iterator(host.folder / "files"))
        kept += static_cast<std::int64_t>(one.file_size());
    CHECK(kept == 900);
    CHECK(fs::exists(host.folder / "files" / sha256Text(contents.back())));
    CHECK(host.leavesNothing());
}

TEST_CASE("repeated offers, unrequested bytes and bytes of a wrong size are refused") {
    MaliciousHost twice;
    twice.offer({});
    --twice.number;
    twice.offer({});
    CHECK_THAT(twice.problem(), containing("sent offer 1 of files a second time"));
    CHECK(twice.leavesNothing());
    MaliciousHost unasked;
    unasked.offer({});
    unasked.send("surprise");
    CHECK_THAT(unasked.problem(), containing("differ from the offered data"));
    CHECK(unasked.leavesNothing());
    MaliciousHost larger;
    larger.offer({fileOf("data/x", "four")});
    larger.send("five!");
    CHECK_THAT(larger.problem(), containing("differ from the offered data"));
    CHECK(larger.leavesNothing());
    MaliciousHost other;
    other.offer({fileOf("data/x", "four")});
    for (int i = 0; i < 3; ++i) other.send("4444");
    CHECK_THAT(other.problem(), containing("SHA-256 differs"));
    CHECK(other.leavesNothing());
}

TEST_CASE("after a refusal the remaining messages of the host are not read") {
    MaliciousHost host;
    ClassroomOffer good;
    good.number = 2;
    good.config = RunConfig{}.toText();
    ClassroomOffer bad = good;
    bad.number = 1;
    bad.files = {fileOf("x", "1"), fileOf("x", "1")};
    host.sendText(encodeClassroomLine({ClassroomLine::Kind::kOffer, {}, 0, bad}) + "\n" +
                  encodeClassroomLine({ClassroomLine::Kind::kOffer, {}, 0, good}) + "\n");
    CHECK_THAT(host.problem(), containing("twice"));
    CHECK(host.guest->offerDirectory().empty());
}

TEST_CASE("a link or a pipe with the name of a cached file is not used") {
    const std::string content = "1,2\n";
    for (const bool isPipe : {false, true}) {
        MaliciousHost host;
        const fs::path kept = host.folder / "files" / sha256Text(content);
        fs::create_directories(kept.parent_path());
        std::ofstream(host.scratch.path() / "secret") << content;
        if (isPipe)
            REQUIRE(::mkfifo(kept.c_str(), 0600) == 0);
        else
            fs::create_symlink(host.scratch.path() / "secret", kept);
        host.offer({fileOf("data/x", content)});
        CHECK(host.guest->offerDirectory().empty());  // the offer is not complete before the file has arrived
        host.send(content);
        REQUIRE_FALSE(host.guest->offerDirectory().empty());
        CHECK(fs::is_regular_file(fs::symlink_status(host.guest->offerDirectory() / "data" / "x")));
        CHECK(filesOfOffer(host.guest->offerDirectory()).value() == std::set<std::string>{"data/x"});
    }
}

TEST_CASE("a rank refuses an offer folder that contains a link") {
    const TemporaryDirectory offer;
    fs::create_directories(offer.path() / "data");
    std::ofstream(offer.path() / "data" / "a.csv") << "1\n";
    std::ofstream(offer.path() / "experiment.json") << "{}";
    CHECK(filesOfOffer(offer.path()).value() == std::set<std::string>{"data/a.csv"});
    fs::create_symlink("/etc/passwd", offer.path() / "data" / "link");
    CHECK_THAT(filesOfOffer(offer.path()).problem().text(), containing("data/link is not a regular file"));
}

TEST_CASE("only the folders of killed guests are removed by the next guest") {
    const TemporaryDirectory scratch;
    std::array<char, 256> host{};
    REQUIRE(::gethostname(host.data(), host.size() - 1) == 0);
    const std::string here = std::string("join-") + host.data();
    fs::create_directories(scratch.path() / (here + "-4194305-abcdef"));  // above the largest process number
    fs::create_directories(scratch.path() / (here + "-" + std::to_string(::getpid()) + "-abcdef"));
    fs::create_directories(scratch.path() / "join-elsewhere-4194305-abcdef");
    const GuestFolder folder(scratch.path());
    CHECK_FALSE(fs::exists(scratch.path() / (here + "-4194305-abcdef")));
    CHECK(fs::exists(scratch.path() / (here + "-" + std::to_string(::getpid()) + "-abcdef")));
    CHECK(fs::exists(scratch.path() / "join-elsewhere-4194305-abcdef"));
}
