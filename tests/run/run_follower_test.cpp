// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_follower.h"

#include <fstream>
#include <optional>

#include "support/catch.h"
#include "support/temporary_directory.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

struct Writer {
    TemporaryDirectory scratch;
    std::optional<Result<RunDirectory>> run{RunDirectory::create(scratch.path() / "run")};
    std::ofstream file{run->value().paths().telemetry(), std::ios::app};
    std::string seen;
    RunFollower follower{run->value().paths()};

    void write(const std::string& text) { file << text << std::flush; }
    bool advance() {
        return follower.advance([this](std::string_view lines) { seen += lines; });
    }
};

}  // namespace

TEST_CASE("a live run is followed line by line, byte for byte, until its end line") {
    Writer writer;
    const std::string first = encode(LogLine{0, "info", "one", 1});
    const std::string second = encode(LogLine{0, "info", "two", 2});
    const std::string end = encode(RunEnded{});
    CHECK(writer.advance());
    writer.write(first + second.substr(0, 10));
    CHECK(writer.advance());
    CHECK(writer.seen == first);
    writer.write(second.substr(10));
    CHECK(writer.advance());
    CHECK(writer.seen == first + second);
    writer.write(end);
    CHECK_FALSE(writer.advance());
    CHECK(writer.seen == first + second + end);
    CHECK_FALSE(writer.advance());
    CHECK(writer.seen == first + second + end);
}

TEST_CASE("a finished run is replayed whole in one go") {
    Writer writer;
    std::string all;
    for (int i = 0; i < 5000; ++i) all += encode(LogLine{0, "info", "line " + std::to_string(i), i});
    all += encode(RunEnded{});
    writer.write(all);
    writer.run->value().release();
    CHECK_FALSE(writer.advance());
    CHECK(writer.seen == all);
}

TEST_CASE("a long backlog comes in pieces, so that who follows can listen between") {
    Writer writer;
    std::string all;
    for (int i = 0; i < 60000; ++i) all += encode(LogLine{0, "info", "line " + std::to_string(i), i});
    all += encode(RunEnded{});
    writer.write(all);
    writer.run->value().release();
    CHECK(writer.advance());
    CHECK(writer.follower.isBehind());
    CHECK(writer.seen.size() < all.size() / 2);
    for (int i = 0; i < 100 && writer.advance(); ++i) continue;
    CHECK(writer.seen == all);
}

TEST_CASE("a supervisor that vanished is told by an end line, its torn last line left out") {
    Writer writer;
    const std::string first = encode(LogLine{0, "info", "one", 1});
    writer.write(first + "{\"kind\":\"lo");
    CHECK(writer.advance());
    writer.run->value().release();
    CHECK_FALSE(writer.advance());
    REQUIRE(writer.seen.substr(0, first.size()) == first);
    const auto end = decodeLine(writer.seen.substr(first.size()));
    REQUIRE(end.ok());
    const auto& ended = std::get<RunEnded>(end.value());
    CHECK(ended.state == "failed");
    CHECK(ended.verdict == "the supervisor of this run was killed, and its ranks with it: ringsidectl run --resume " +
                               writer.run->value().paths().directory.string() +
                               " goes on from its last checkpoint, if it has one");
}

TEST_CASE("a run that ended and lost its last lines is told with what its summary says") {
    Writer writer;
    writer.write(encode(LogLine{0, "info", "one", 1}) + "{\"kind\":\"en");
    std::ofstream(writer.run->value().paths().summary()) << R"({"state": "finished", "verdict": "finished 3 epochs"})";
    writer.run->value().release();
    CHECK_FALSE(writer.advance());
    CHECK(writer.seen.find("telemetry.jsonl of this run is damaged") != std::string::npos);
    CHECK(writer.seen.find("its summary.json says: finished 3 epochs") != std::string::npos);
    CHECK(writer.seen.find("supervisor") == std::string::npos);
}

TEST_CASE("a line too long for any of ours is passed on as it comes, and none of it is taken for the end") {
    Writer writer;
    const std::string end = encode(RunEnded{});
    std::string all = std::string(Decoder::kMaxLine + 100'000, 'x');
    writer.write(all);
    while (writer.advance() && writer.follower.isBehind()) continue;
    CHECK(writer.seen.size() > Decoder::kMaxLine);
    writer.write(end);  // the long line's rest
    all += end;
    CHECK(writer.advance());
    CHECK(writer.seen == all);
    writer.write(end);
    CHECK_FALSE(writer.advance());
    CHECK(writer.seen == all + end);
}
