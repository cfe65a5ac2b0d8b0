// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/named_choice.h"

namespace ringside {

// Handshake between a rank and the rendezvous of rank 0, with one line of JSON per message. Rank 0 sends a challenge
// with a nonce (random text). The rank answers with a greeting. The proof in the greeting is an HMAC-SHA256 of the
// greeting and that nonce under the token. Rank 0's answer proves in the same way, with the rank's nonce, that rank 0
// knows the token. Afterwards the connection is used for its role.
//
// Decoders receive data that is not trusted: each returns an empty value if a field is missing, has the wrong type or
// exceeds its limit.
inline constexpr int kRendezvousVersion = 1;
inline constexpr std::size_t kMaxGreetingBytes = 8192;
inline constexpr std::size_t kMaxWelcomeBytes = 65536;

// Purpose of a connection, with the table of the names in a greeting.
enum class ConnectionRole : std::uint8_t {
    kControl,    // first connection of a rank
    kTelemetry,  // connection for the events of a rank
    kStore,      // connection for a rank's access to the key-value store
    kDeclines,   // connection of a rank that cannot start and gives the reason
    kClass,      // connection of a computer that joins a classroom
    kWatch       // connection of a process of a watched script
};
constexpr std::array<std::string_view, 6> namesOf(ConnectionRole) {
    return {"control", "telemetry", "store", "declines", "class", "watch"};
}

// Greeting of a rank on a new connection.
struct Greeting {
    ConnectionRole role = ConnectionRole::kControl;
    int rank = -1;
    std::string nonce;       // random text of the rank that the host's proof covers
    std::string proof;       // HMAC of provenText() with the token as key
    std::string program;     // version of the program
    std::string experiment;  // hash of the experiment
    std::string host;
    std::string hostKey;
    std::int64_t pid = 0;
    std::string reason = {};  // reason why the rank cannot start; for kDeclines only

    // Returns the text that the rank's proof covers: all other fields of the greeting and the host's nonce.
    std::string provenText(const std::string& hostNonce) const;
};

std::string encodeChallenge(const std::string& nonce);
std::optional<std::string> decodeChallenge(std::string_view line);  // returns the nonce of the challenge

std::string encodeGreeting(const Greeting& greeting);
std::optional<Greeting> decodeGreeting(std::string_view line);

// Host's answer to a greeting.
struct Answer {
    std::string proof;    // HMAC of answeredText() with the token as key
    std::string refused;  // reason of a refusal; empty if accepted
    std::string hostKey;  // identifier of rank 0's computer (hostKey() in launch_sources.h)
};

std::string encodeAnswer(const Answer& answer);
std::optional<Answer> decodeAnswer(std::string_view line);
// Returns the text that the host's proof covers.
std::string answeredText(const std::string& rankNonce, const std::string& refused);

// Settings of the run, sent to every rank once all ranks are connected.
struct Welcome {
    std::string runDirectory;  // path of the run directory on rank 0's host
    std::string backend;
    std::string device;
    std::string resume;                  // path of the checkpoint to resume from; empty if none
    std::int64_t runStartUs = 0;         // start of the run, by CLOCK_MONOTONIC of rank 0's host
    std::vector<int> hosts;              // index of each rank's host
    std::vector<std::string> addresses;  // address of each rank, as seen from rank 0
    std::string sharedName;  // socket name under which a host's first rank sends its shared memory (SharedHandover)

    // Returns the number of different hosts.
    int hostCount() const;
    std::vector<int> ranksOn(int host) const;
};

std::string encodeWelcome(const Welcome& welcome);
std::optional<Welcome> decodeWelcome(std::string_view line, int worldSize);

// Clock query and answer during the rendezvous, on the control connection. All times are microseconds of
// CLOCK_MONOTONIC.
inline constexpr const char* kClockQuery = "{\"kind\":\"clock\"}";
std::string encodeClock(std::int64_t us);
std::optional<std::int64_t> decodeClock(std::string_view line);

// Clock comparison during training: rank 0's host sends a TimeQuery at intervals. Once the clock of the receiving
// rank's host is known more precisely than from the rendezvous, the query also contains the start of the run on that
// clock. All times are microseconds of CLOCK_MONOTONIC.
struct TimeQuery {
    std::int64_t sentUs = 0;  // time of the query on the sender's clock
    // Start of the run on the receiver's clock; empty as long as the estimate of the rendezvous is the most precise
    // one.
    std::optional<std::int64_t> zeroUs = {};

    bool operator==(const TimeQuery&) const = default;
};
struct TimeAnswer {
    std::int64_t sentUs = 0;  // copy of TimeQuery::sentUs
    std::int64_t us = 0;      // time of the answer on the rank's clock

    bool operator==(const TimeAnswer&) const = default;
};
std::string encodeTimeQuery(const TimeQuery& query);  // returns the line with its newline
std::optional<TimeQuery> decodeTimeQuery(std::string_view line);
std::string encodeTimeAnswer(const TimeAnswer& answer);
std::optional<TimeAnswer> decodeTimeAnswer(std::string_view line);

// kStopRequest: message of a rank on its control connection; the rank sends it when its launcher requests the rank to
// stop. Farewell: the last message of a rank on this connection, with exit code and error text. Farewell::left: true if
// the user of a guest's computer has ended the rank, which ends without the other ranks.
inline constexpr const char* kStopRequest = "{\"kind\":\"stop\"}";
struct Farewell {
    int exitCode = 0;
    std::string text;
    bool left = false;
};
std::string encodeFarewell(const Farewell& farewell);
std::optional<Farewell> decodeFarewell(std::string_view line);
bool isStopRequest(std::string_view line);

// Host's message at the end of a failed start: the reason.
std::string encodeVerdict(const std::string& text);
std::optional<std::string> decodeVerdict(std::string_view line);

}  // namespace ringside
