// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/classroom_lines.h"
#include "launch/classroom/join_code.h"
#include "launch/wire/greeting.h"
#include "mutator.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr int kRounds = 20000;

std::vector<std::string> corpus() {
    Greeting greeting;
    greeting.role = ConnectionRole::kControl;
    greeting.rank = 3;
    greeting.nonce = std::string(32, 'a');
    greeting.proof = std::string(64, 'b');
    greeting.program = "1.0";
    greeting.host = "node1";
    Welcome welcome;
    welcome.runDirectory = "/runs/x";
    welcome.hosts = {0, 0, 1};
    welcome.addresses = {"", "10.0.0.1", "10.0.0.2"};
    ClassroomOffer offer;
    offer.number = 1;
    offer.config = "{\"name\":\"x\"}";
    offer.files = {{"data/x.csv", 12, std::string(64, 'c')}};
    return {encodeChallenge("abc"),
            encodeGreeting(greeting),
            encodeAnswer({"proof", "refused", "key"}),
            encodeWelcome(welcome),
            encodeClock(12345),
            encodeFarewell({12, "it ended"}),
            encodeVerdict("why"),
            encodeClassroomLine({ClassroomLine::Kind::kOffer, {}, 0, offer}),
            encodeClassroomLine({ClassroomLine::Kind::kStart, {}, 0, {}, {1, 2, 4, 20001, "abc"}}),
            encodeClassroomLine({ClassroomLine::Kind::kEnded, "it ended", 12}),
            "10.0.0.7:21345/008J4-CT4AN-K7F24-SNAXW-SQFEZ-W"};
}

const std::vector<std::string> kWords{
    "-1",   "99999999999999999999", "1e999", "null", "[",   "]", "{", "\"", "\xff\xfe", "\n", "../", "/", "\\u0000",
    "4096", "2147483648",           "[[[[[", ":",    "true"};

}  // namespace

TEST_CASE("damaged lines of a rendezvous and a classroom are read within their bounds or not at all") {
    fuzz::Mutator mutator(corpus(), kWords, 20261123);
    int taken = 0;
    for (int round = 0; round < kRounds; ++round) {
        const std::string line = mutator.next();
        INFO(round);
        if (const auto greeting = decodeGreeting(line)) REQUIRE((greeting->rank >= 0 && greeting->host.size() <= 256));
        if (const auto welcome = decodeWelcome(line, 3)) {
            REQUIRE(welcome->hosts.size() == 3);
            REQUIRE(welcome->addresses.size() == 3);
            for (const int host : welcome->hosts) REQUIRE((host >= 0 && host < 3));
            REQUIRE(welcome->hostCount() <= 3);
        }
        if (const auto farewell = decodeFarewell(line)) REQUIRE((farewell->exitCode >= 0 && farewell->exitCode <= 255));
        decodeChallenge(line);
        decodeAnswer(line);
        decodeClock(line);
        decodeVerdict(line);
        isStopRequest(line);
        if (const auto one = decodeClassroomLine(line)) {
            ++taken;
            REQUIRE(one->offer.files.size() <= kMaxClassroomFiles);
            for (const ClassroomFile& file : one->offer.files) {
                REQUIRE(isSafeName(file.name));
                REQUIRE(file.bytes >= 0);
            }
            REQUIRE((one->start.worldSize == 0 || one->start.rank < one->start.worldSize));
            REQUIRE(decodeClassroomLine(encodeClassroomLine(*one)).has_value());
        }
        const Result<JoinCode> code = JoinCode::parse(line);
        if (code) REQUIRE((code.value().port > 0 && code.value().token.size() == JoinCode::kTokenHex));
    }
    CHECK(taken > 0);  // at least one mutated input was still valid
}
