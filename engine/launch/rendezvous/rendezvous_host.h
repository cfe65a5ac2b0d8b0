// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "base/system/unique_fd.h"
#include "launch/place/launch_place.h"
#include "launch/wire/front_door.h"
#include "launch/wire/greeting.h"
#include "launch/wire/line_socket.h"

namespace ringside {

// What all ranks of a start have in common, and how they find each other.
struct RendezvousTerms {
    std::string token;       // whoever does not know it is a stranger
    std::string program;     // version
    std::string experiment;  // hash
    std::vector<std::string> hosts;
    std::vector<int> ports;  // the first that is free
    std::chrono::milliseconds deadline{120000};
};

// The terms of a place: the token of RINGSIDE_TOKEN or, without one, made from the job; ports that follow from the job
// unless one was named.
RendezvousTerms termsOf(const LaunchPlace& place, const std::string& token, const std::string& program,
                        const std::string& experiment);

// A rank that has come: its three connections.
struct Guest {
    int rank = 0;
    std::string host;
    std::string hostKey;
    std::string address;
    pid_t pid = 0;
    UniqueFd control;
    UniqueFd telemetry;
    UniqueFd store;
    LineReader controlLines{kMaxGreetingBytes};

    bool complete() const { return control && telemetry && store; }
};

// A rank that kept a start from succeeding.
struct Culprit {
    int rank = 0;         // as it says itself
    std::string address;  // of its computer; empty: it never came
    bool isMisuse = false;
};

struct Gathering {
    std::vector<Guest> guests;  // ranks 1, 2, ...
    bool stopped = false;       // asked to stop before all had come
};

// Rank 0's side of the rendezvous: listens until every other rank has come, then no more. Strangers change nothing.
class RendezvousHost {
  public:
    RendezvousHost(RendezvousTerms terms, const LaunchPlace& place, std::string ownHostKey);

    // A problem when no port is free or none of the hosts is this one.
    Problems listen();
    std::string address() const;  // "10.0.0.7:21345", where it listens
    std::int64_t strangers() const { return m_door.strangers(); }

    // Waits for all. Problems: who is missing at the deadline, another version or experiment, two of the same rank, a
    // rank that left again. `say` is told who is awaited; a read on stopFd ends the waiting.
    Result<Gathering> gather(int stopFd, const std::function<void(const std::string&)>& say);

    // After a problem of gather(): the ranks that caused it.
    const std::vector<Culprit>& culprits() const { return m_culprits; }

    // Where rank 0 cannot start: the others hear why and need not wait for it. Ends when all have, or after a while.
    void turnAway(const std::string& why, std::chrono::milliseconds patience);

  private:
    bool greet(UniqueFd& socket, const std::string& nonce, const std::string& line);
    void answer(int socket, const Greeting& greeting, const std::string& refused) const;
    std::string objection(const Greeting& greeting);
    void seat(UniqueFd& socket, const Greeting& greeting);
    void readControls();
    bool waitForInput(int stopFd) const;
    void sayMissing(const std::function<void(const std::string&)>& say);
    std::string missingText() const;
    std::vector<int> missingRanks() const;
    bool allHere() const;
    Problem dismiss(Problem problem);
    Gathering close();

    const RendezvousTerms m_terms;
    const LaunchPlace m_place;
    const std::string m_hostKey;
    FrontDoor m_door;
    std::map<int, Guest> m_guests;
    std::optional<Problem> m_problem;
    std::vector<Culprit> m_culprits;
    std::string m_turnedAway;  // why nobody is let in
    std::set<int> m_told;      // so; ranks
    LineDeadline m_startedAt{};
    LineDeadline m_sayAt{};
};

}  // namespace ringside
