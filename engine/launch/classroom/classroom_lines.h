// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

// Protocol between the host of a classroom and its guests: one line of JSON per message, after the handshake of the
// rendezvous (wire/greeting.h) with the role kClass. A kBytes line is followed by that many bytes of a file.

// Environment variable that is set for the rank of a classroom guest. On a signal, the rank of a guest ends without the
// other ranks. A rank that a launcher started requests rank 0's host to stop all ranks instead.
inline constexpr const char* kGuestVariable = "RINGSIDE_GUEST";
inline constexpr std::size_t kMaxClassroomLine = std::size_t{1} << 20;
inline constexpr std::size_t kMaxClassroomFiles = 4096;
inline constexpr std::size_t kMaxClassName = 32;

// File that every guest needs. Its name is a path relative to the experiment's directory.
struct ClassroomFile {
    std::string name;
    std::int64_t bytes = 0;
    std::string sha256;
};

// True if the name is a relative path that stays within its directory on every operating system.
bool isSafeName(const std::string& name);

// Sent by the host: experiment and files of the next start.
struct ClassroomOffer {
    int number = 0;  // number of the offer, which increases by 1 with each offer
    std::string config;
    std::vector<ClassroomFile> files;
    bool resumes = false;  // true if the files include a checkpoint under "checkpoint/"

    std::int64_t bytes() const;
};

// Sent by the host: starts the guest as a rank. The run's token is derived from the classroom's token and the nonce.
struct ClassroomStart {
    int number = 0;  // number of the offer, that is, of the files with which the guest starts
    int rank = 0;
    int worldSize = 0;
    int port = 0;
    std::string nonce;
};
// Returns the token (secret) of the rendezvous of this start.
std::string tokenOfStart(const std::string& classToken, const ClassroomStart& start);

struct ClassroomLine {
    enum class Kind {
        kOffer,
        kStart,
        kNews,   // from the host: a sentence to show to the guest's user; sent at least every few seconds
        kOver,   // from the host: the classroom is over; text: reason, number: exit code
        kBytes,  // from the host: `number` bytes of the requested file follow
        // From a guest: requests a file; number: index of the file in the offer, text: number of the offer, which may
        // be older than the latest offer.
        kWant,
        kReady,  // from a guest: it has all files of the offer; number: the offer's number
        kHere,   // from a guest: heartbeat; text: its current activity
        kEnded,  // from a guest: its rank has ended; number: exit code, text: last line of the rank's output, empty for
                 // code 0
        kLeave   // from a guest: it leaves and will not reconnect; text: reason
    };
    Kind kind = Kind::kHere;
    std::string text = {};
    std::int64_t number = 0;
    ClassroomOffer offer = {};
    ClassroomStart start = {};
};

// Returns the line as JSON text, without its newline.
std::string encodeClassroomLine(const ClassroomLine& line);
// Decodes a line that the host or a guest sent. Returns nothing if any field is missing or invalid.
std::optional<ClassroomLine> decodeClassroomLine(std::string_view line);

}  // namespace ringside
