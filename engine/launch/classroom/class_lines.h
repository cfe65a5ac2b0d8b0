// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

// What the host of a class and those who join it say to each other, one line of JSON each, after the handshake of the
// rendezvous with the role "class" (greeting.h). Only a file's bytes come without lines, as many as were announced.
inline constexpr const char* kClassRole = "class";
// Set for the rank of who has joined: when it is told to end it goes alone, and does not ask all ranks to stop as one
// under a launcher does.
inline constexpr const char* kGuestVariable = "RINGSIDE_GUEST";
inline constexpr std::size_t kMaxClassLine = std::size_t{1} << 20;
inline constexpr std::size_t kMaxClassFiles = 4096;
inline constexpr std::size_t kMaxClassName = 32;

// A file that everybody needs, under a path within the experiment's directory.
struct ClassFile {
    std::string name;
    std::int64_t bytes = 0;
    std::string sha256;
};

// A name that stays within its directory, on any system.
bool isSafeName(const std::string& name);

// The host's: what the next start needs.
struct ClassOffer {
    int number = 0;  // grows with each offer
    std::string config;
    std::vector<ClassFile> files;
    bool resumes = false;  // files has a checkpoint under "checkpoint/"

    std::int64_t bytes() const;
};

// The host's: become this rank. The run's token is made from the class's and the nonce.
struct ClassStart {
    int number = 0;  // of the offer
    int rank = 0;
    int worldSize = 0;
    int port = 0;
    std::string nonce;
};
std::string tokenOfStart(const std::string& classToken, const ClassStart& start);

struct ClassLine {
    enum class Kind {
        kOffer,
        kStart,
        kNews,   // host: a sentence for people, at least every few seconds
        kOver,   // host: the class is over; text, number: exit code
        kBytes,  // host: so many bytes of the file follow (number: bytes)
        kWant,   // guest: send the file (number: its place; text: the offer's number, which may not be the last one's)
        kReady,  // guest: has all of the offer (number)
        kHere,   // guest: lives; text: what it does
        kEnded,  // guest: its rank has ended; number: exit code, text: its last words
        kLeave   // guest: goes for good
    };
    Kind kind = Kind::kHere;
    std::string text = {};
    std::int64_t number = 0;
    ClassOffer offer = {};
    ClassStart start = {};
};

std::string encodeClassLine(const ClassLine& line);
// Outside bytes: anything that is not right makes the line worthless.
std::optional<ClassLine> decodeClassLine(std::string_view line);

}  // namespace ringside
