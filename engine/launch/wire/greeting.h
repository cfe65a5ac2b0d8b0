// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

// What the ranks of a run and the rendezvous at rank 0 say to each other before training, one line of JSON each. Who
// hosts speaks first (a challenge), a rank answers with a greeting that proves that it knows the token, the host proves
// the same. From then on the connection carries what its role says.
inline constexpr int kRendezvousVersion = 1;
inline constexpr std::size_t kMaxGreetingBytes = 8192;
inline constexpr std::size_t kMaxWelcomeBytes = 65536;

struct Greeting {
    std::string role;  // control | telemetry | store
    int rank = -1;
    std::string nonce;       // of the rank, for the host's proof
    std::string proof;       // of the rank
    std::string program;     // version of the program
    std::string experiment;  // hash of the experiment
    std::string host;
    std::string hostKey;
    std::int64_t pid = 0;

    // What the rank proves with: everything that matters, and the host's nonce.
    std::string provenText(const std::string& hostNonce) const;
};

std::string encodeChallenge(const std::string& nonce);
std::optional<std::string> decodeChallenge(std::string_view line);  // the nonce

std::string encodeGreeting(const Greeting& greeting);
std::optional<Greeting> decodeGreeting(std::string_view line);

struct Answer {
    std::string proof;    // of the host: over the rank's nonce
    std::string refused;  // why; empty: welcome
    std::string hostKey;  // of rank 0
};

std::string encodeAnswer(const Answer& answer);
std::optional<Answer> decodeAnswer(std::string_view line);
std::string answeredText(const std::string& rankNonce, const std::string& refused);

// What all ranks have to know, once all are there.
struct Welcome {
    std::string runDirectory;  // on rank 0's host
    std::string backend;
    std::string device;
    std::string resume;                  // checkpoint to go on from, or empty
    std::int64_t epochUs = 0;            // on the clock of rank 0's host
    std::vector<int> hosts;              // index of each rank's host
    std::vector<std::string> addresses;  // of each rank, as rank 0 sees it
    std::string sharedName;              // under which a host's first rank hands out its shared memory

    int hostCount() const;
    std::vector<int> ranksOn(int host) const;
};

std::string encodeWelcome(const Welcome& welcome);
std::optional<Welcome> decodeWelcome(std::string_view line, int worldSize);

// Two ends of a control connection compare clocks.
inline constexpr const char* kClockQuestion = "{\"kind\":\"clock\"}";
std::string encodeClock(std::int64_t us);
std::optional<std::int64_t> decodeClock(std::string_view line);

// While they train, rank 0's host asks for the clock of others again and again, and says what it knows: where the run's
// times begin on the clock of the rank's host. All in microseconds of CLOCK_MONOTONIC.
struct TimeQuestion {
    std::int64_t askedUs = 0;
    std::optional<std::int64_t> zeroUs = {};  // nothing while it is not known any better than at the start

    bool operator==(const TimeQuestion&) const = default;
};
struct TimeAnswer {
    std::int64_t askedUs = 0;  // as in the question
    std::int64_t us = 0;

    bool operator==(const TimeAnswer&) const = default;
};
std::string encodeTimeQuestion(const TimeQuestion& question);  // with the newline, as other lines of the control
std::optional<TimeQuestion> decodeTimeQuestion(std::string_view line);
std::string encodeTimeAnswer(const TimeAnswer& answer);
std::optional<TimeAnswer> decodeTimeAnswer(std::string_view line);

// A rank's last words on its control connection, and what its launcher asked of it.
inline constexpr const char* kStopWish = "{\"kind\":\"stop\"}";
struct Farewell {
    int exitCode = 0;
    std::string text;
};
std::string encodeFarewell(const Farewell& farewell);
std::optional<Farewell> decodeFarewell(std::string_view line);
bool isStopWish(std::string_view line);

// The host's: the run is over, and why.
std::string encodeVerdict(const std::string& text);
std::optional<std::string> decodeVerdict(std::string_view line);

}  // namespace ringside
