// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/socket.h>

#include <fstream>
#include <future>
#include <thread>

#include "base/crypto/secret.h"
#include "launch/classroom/classroom_guest.h"
#include "launch/classroom/classroom_host.h"
#include "launch/wire/line_socket.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

void writeText(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

std::string textOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Host of a classroom that is polled by a thread while a test connects guests.
struct Class {
    TemporaryDirectory scratch;
    ClassroomHost host{{"127.0.0.1", 0, "1.0", "key", 4}};
    std::atomic<bool> over{false};
    std::thread thread;

    Class() { REQUIRE(host.listen().empty()); }
    ~Class() { stop(); }
    void offer(const std::string& text) {
        writeText(scratch.path() / "data.csv", text);
        ClassroomOffer offer;
        offer.config = "{}";
        offer.files = {{"data/data.csv", static_cast<std::int64_t>(text.size()), sha256Text(text)}};
        host.offer(offer, {scratch.path() / "data.csv"});
    }
    void open() {
        over = false;
        thread = std::thread([this] {
            while (!over) {
                std::vector<pollfd> waiting;
                host.addInterests(waiting);
                ::poll(waiting.data(), waiting.size(), 10);
                host.poll(Clock::now());
            }
        });
    }
    void stop() {
        over = true;
        if (thread.joinable()) thread.join();
    }
    Result<UniqueFd> connect(const JoinCode& code, const std::string& name) const {
        return connectToClassroom(code, name, "1.0", "key of " + name, Clock::now() + 5s);
    }
    // Connects a guest. The thread that polls the host runs only during this call.
    ClassroomGuest guestOf(const std::string& name) {
        open();
        ClassroomGuest joined = guest(name);
        stop();
        return joined;
    }
    ClassroomGuest guest(const std::string& name, std::int64_t most = 1000000) const {
        Result<UniqueFd> socket = connect(host.code(), name);
        REQUIRE(socket.ok());
        return {std::move(socket).value(), scratch.path() / name, most};
    }
};

bool readUntil(ClassroomGuest& guest, const std::function<bool()>& holds) {
    for (const auto until = Clock::now() + 10s; Clock::now() < until;) {
        pollfd waiting{guest.fd(), POLLIN, 0};
        ::poll(&waiting, 1, 50);
        const bool open = guest.read();
        if (holds()) return true;
        if (!open) return false;
    }
    return false;
}

}  // namespace

TEST_CASE("a guest with the code receives the experiment and its data once, and becomes a rank") {
    Class lesson;
    const std::string data(300000, 'x');
    lesson.offer(data);
    lesson.open();
    ClassroomGuest ada = lesson.guest("Ada");
    REQUIRE(readUntil(ada, [&] { return !ada.offerDirectory().empty(); }));
    CHECK(textOf(ada.offerDirectory() / "data" / "data.csv") == data);
    CHECK(textOf(ada.offerDirectory() / "experiment.json") == "{}");
    // A guest that already has the file receives nothing, so the host needs no file any more.
    fs::remove(lesson.scratch.path() / "data.csv");
    Result<UniqueFd> again = lesson.connect(lesson.host.code(), "Ada2");
    REQUIRE(again.ok());
    ClassroomGuest same(std::move(again).value(), lesson.scratch.path() / "Ada", 1000000);
    CHECK(readUntil(same, [&] { return !same.offerDirectory().empty(); }));
    std::this_thread::sleep_for(50ms);
    lesson.stop();
    const auto ready = lesson.host.readyMembers(Clock::now());
    REQUIRE(ready.size() == 2);
    const std::string token = lesson.host.start(ready);
    std::optional<ClassroomLine> line;
    REQUIRE(readUntil(ada, [&] { return (line = ada.next()).has_value(); }));
    REQUIRE(line->kind == ClassroomLine::Kind::kStart);
    CHECK(line->start.rank == 1);
    CHECK(line->start.worldSize == 3);
    CHECK(line->start.port == lesson.host.code().port + 1);
    CHECK(tokenOfStart(lesson.host.code().token, line->start) == token);
    CHECK(token != lesson.host.code().token);
}

TEST_CASE("guests with a wrong secret or version, and a guest beyond the limit, are refused and change nothing") {
    Class lesson;
    lesson.offer("a,b\n");
    lesson.open();
    JoinCode wrong = lesson.host.code();
    wrong.token = std::string(32, '0');
    CHECK(lesson.connect(wrong, "Eve").problem().text().find("belongs to another classroom") != std::string::npos);
    const auto older = connectToClassroom(lesson.host.code(), "Old", "0.9", "key", Clock::now() + 5s);
    CHECK(older.problem().text().find("runs Ringside 0.9, but the classroom needs Ringside 1.0") != std::string::npos);
    std::vector<ClassroomGuest> guests;
    for (const char* name : {"a", "b", "c", "d"}) guests.push_back(lesson.guest(name));
    CHECK(lesson.connect(lesson.host.code(), "e")
              .problem()
              .text()
              .find("the classroom already has 4 computers, its maximum") != std::string::npos);
    CHECK(lesson.host.members().size() == 4);
    CHECK(lesson.host.refusedConnections() >= 1);
}

TEST_CASE("unauthenticated and half-open connections and garbage do not affect a classroom") {
    Class lesson;
    lesson.offer("a,b\n");
    lesson.open();
    ClassroomGuest ada = lesson.guest("Ada");
    std::vector<UniqueFd> silent;
    for (int i = 0; i < 300; ++i) {
        UniqueFd socket = connectTo("127.0.0.1", lesson.host.code().port, Clock::now() + 5s);
        if (!socket) continue;
        if (i % 3 == 0) sendLine(socket.get(), "GET / HTTP/1.1", Clock::now() + 5s);
        if (i % 3 == 1) sendLine(socket.get(), std::string(20000, '['), Clock::now() + 5s);
        silent.push_back(std::move(socket));
    }
    REQUIRE(readUntil(ada, [&] { return !ada.offerDirectory().empty(); }));
    ClassroomGuest bo = lesson.guest("Bo");
    CHECK(readUntil(bo, [&] { return !bo.offerDirectory().empty(); }));
    // A member that sends invalid lines is removed; the others stay.
    REQUIRE(::send(bo.fd(), "\xff\xfe{\n", 4, MSG_NOSIGNAL) == 4);
    CHECK_FALSE(readUntil(bo, [] { return false; }));
    lesson.stop();
    REQUIRE(lesson.host.members().size() == 1);
    CHECK(lesson.host.members().front()->name() == "Ada");
    CHECK(lesson.host.refusedConnections() >= 200);
}

TEST_CASE("a guest that requests too many files is removed, and refused when it returns") {
    Class lesson;
    lesson.offer("a,b\n");
    ClassroomGuest ada = lesson.guestOf("Ada");
    const std::string want = encodeClassroomLine({ClassroomLine::Kind::kWant, "1", 0}) + "\n";
    std::string flood;
    for (int i = 0; i < 100; ++i) flood += want;
    REQUIRE(::send(ada.fd(), flood.data(), flood.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(flood.size()));
    lesson.open();
    CHECK_FALSE(readUntil(ada, [] { return false; }));
    CHECK(lesson.connect(lesson.host.code(), "Ada").problem().text() ==
          "this computer was removed from the classroom: it requested more than 8 files at once: ask the host of the "
          "classroom");
    lesson.stop();
    CHECK(lesson.host.members().empty());
    const std::vector<std::string> notes = lesson.host.takeNotes();
    CHECK(std::find(notes.begin(), notes.end(), "Ada was removed: it requested more than 8 files at once") !=
          notes.end());
}

TEST_CASE("a guest that sends host messages is removed, and the other guests stay") {
    Class lesson;
    lesson.offer("a,b\n");
    lesson.open();
    ClassroomGuest ada = lesson.guest("Ada");
    ClassroomGuest eve = lesson.guest("Eve");
    eve.send({ClassroomLine::Kind::kOver, "the class is over"});
    CHECK_FALSE(readUntil(eve, [] { return false; }));
    CHECK_THAT(lesson.connect(lesson.host.code(), "Eve").problem().text(), containing("removed from the class"));
    CHECK(lesson.connect(lesson.host.code(), "Bo").ok());  // Bo has the same address as Eve and Ada, and is not refused
    lesson.stop();
    CHECK(lesson.host.members().front()->name() == "Ada");
}

TEST_CASE("a guest accepts only data within its limit that match the offer") {
    Class lesson;
    lesson.offer(std::string(5000, 'y'));
    // The file has changed after the offer was made.
    writeText(lesson.scratch.path() / "data.csv", std::string(5000, 'z'));
    lesson.open();
    ClassroomGuest small = lesson.guest("small", 4999);
    CHECK(readUntil(small, [&] { return small.problem().has_value(); }));
    CHECK(small.problem()->text().find("--most-mb") != std::string::npos);
    ClassroomGuest careful = lesson.guest("careful");
    CHECK(readUntil(careful, [&] { return careful.problem().has_value(); }));
    CHECK(careful.problem()->text().find("SHA-256 differs") != std::string::npos);
}

TEST_CASE("a guest that requests a file of a replaced offer receives the files of the new offer") {
    Class lesson;
    lesson.offer("old");
    lesson.open();
    ClassroomGuest ada = lesson.guest("Ada");
    lesson.stop();
    REQUIRE(readUntil(ada, [&] { return !ada.progress().empty(); }));  // it has asked
    lesson.offer("newer");
    lesson.open();
    REQUIRE(readUntil(ada, [&] { return !ada.offerDirectory().empty() || ada.problem(); }));
    CHECK_FALSE(ada.problem());
    CHECK(textOf(ada.offerDirectory() / "data" / "data.csv") == "newer");
    // For 200 ms, the host sends nothing that the guest would report as a problem.
    for (const auto until = Clock::now() + 200ms; Clock::now() < until; std::this_thread::sleep_for(10ms)) ada.read();
    CHECK_FALSE(ada.problem());
}

TEST_CASE("a guest that joins without a valid offer stays and receives the next offer") {
    Class lesson;
    lesson.offer("old");
    fs::remove(lesson.scratch.path() / "data.csv");
    lesson.open();
    ClassroomGuest ada = lesson.guest("Ada");
    const bool hasSome = readUntil(ada, [&] { return !ada.progress().empty(); });
    REQUIRE(hasSome);  // it has asked
    pollfd hungUp{ada.fd(), POLLIN, 0};
    CHECK(::poll(&hungUp, 1, 500) == 0);
    lesson.stop();
    lesson.offer("new");
    lesson.open();
    CHECK(readUntil(ada, [&] { return !ada.offerDirectory().empty(); }));
    CHECK(textOf(ada.offerDirectory() / "data" / "data.csv") == "new");
}

TEST_CASE("a guest with unread messages still receives the end of the classroom") {
    Class lesson;
    lesson.offer("x");
    lesson.open();
    const Result<UniqueFd> ada = lesson.connect(lesson.host.code(), "Ada");
    REQUIRE(ada.ok());
    lesson.stop();
    REQUIRE(
        sendLine(ada.value().get(), encodeClassroomLine({ClassroomLine::Kind::kHere, "training"}), Clock::now() + 5s));
    auto closed = std::async(std::launch::async, [&] { lesson.host.close("called off", 20, 10s); });
    std::string received;
    ssize_t got = 0;
    for (char byte = 0; (got = ::recv(ada.value().get(), &byte, 1, 0)) > 0;) received += byte;
    CHECK(got == 0);  // the end is regular and not ECONNRESET, with which received data could be lost
    CHECK_THAT(received, Catch::Contains("called off"));
    ::shutdown(ada.value().get(), SHUT_RDWR);
    closed.get();
    CHECK(lesson.host.members().empty());
}

TEST_CASE("names in a classroom are unique, and a returning guest keeps its name") {
    Class lesson;
    lesson.offer("a\n");
    lesson.open();
    const auto ada = lesson.guest("Ada");
    Result<UniqueFd> other = connectToClassroom(lesson.host.code(), "Ada", "1.0", "another key", Clock::now() + 5s);
    REQUIRE(other.ok());
    const auto back = lesson.guest("Ada");
    lesson.stop();
    REQUIRE(lesson.host.members().size() == 2);
    CHECK(lesson.host.members()[0]->name() == "Ada");
    CHECK(lesson.host.members()[1]->name() == "Ada (2)");
}

TEST_CASE("invalid lines of a classroom are refused") {
    const auto offer = [](const std::string& name, const std::string& bytes = "1") {
        return R"({"kind":"offer","number":1,"config":"","resumes":false,"files":[{"name":")" + name + R"(","bytes":)" +
               bytes + R"(,"sha256":")" + std::string(64, 'a') + R"("}]})";
    };
    CHECK(decodeClassroomLine(offer("data/x.csv")).has_value());
    for (const std::string& name : std::vector<std::string>{"/etc/passwd", "../x", "a/../b", "a//b", "", ".", "a/"})
        CHECK_FALSE(decodeClassroomLine(offer(name)).has_value());
    CHECK_FALSE(decodeClassroomLine(offer("x", "-1")).has_value());
    CHECK_FALSE(decodeClassroomLine(offer("x", "18446744073709551615")).has_value());
    CHECK_FALSE(decodeClassroomLine(R"({"kind":"dance","text":"","number":0})").has_value());
    CHECK_FALSE(decodeClassroomLine(R"({"kind":"news","text":7,"number":0})").has_value());
    CHECK_FALSE(decodeClassroomLine("[[[[[[[[[[").has_value());
    CHECK_FALSE(
        decodeClassroomLine(R"({"kind":"start","number":1,"rank":3,"world_size":3,"port":1,"nonce":""})").has_value());
    const auto back = decodeClassroomLine(encodeClassroomLine({ClassroomLine::Kind::kEnded, "it \"ended\"\n", 12}));
    REQUIRE(back.has_value());
    CHECK(back->text == "it \"ended\"\n");
    CHECK(back->number == 12);
}
