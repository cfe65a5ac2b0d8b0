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
#include "launch/layout/launch_layout.h"
#include "launch/wire/authenticating_listener.h"
#include "launch/wire/greeting.h"
#include "launch/wire/line_socket.h"

namespace ringside {

// Rendezvous of the ranks of one start, on the side of rank 0 (on the side of the other ranks: rendezvous_guest.h).
//
// Rank 0 listens on the first free port of RendezvousTerms::ports; every other rank tries each host and port in turn.
// Each rank opens three connections (control, telemetry, store), and on each both sides prove with an HMAC-SHA256 over
// the peer's nonce that they know the token (wire/greeting.h), so that a rank does not join another run that uses the
// same port. Rank 0 checks that version, experiment hash and rank number fit. A rank on another host estimates its
// clock offset over the control connection. gather() returns when every rank has its three connections; the caller then
// sends a Welcome to all ranks. If a rank does not fit, leaves or is missing at the deadline, all connected ranks
// receive the reason as a verdict.
//
//     rank n                                              rank 0
//        | ------------------ connects -----------------> |
//        | <------------- challenge: nonce a ------------ |
//        | -- greeting: rank, nonce b, proof with a ----> |   checks proof, version, experiment and rank number
//        | <- answer: proof with b, reason of a refusal - |
//        | <-------- clock queries and answers ---------> |   on the control connection, if the hosts differ
//        |    (telemetry and store connect as above)      |
//        | <------------------ Welcome ------------------ |   on the control connection, when all ranks are connected

// Settings of a rendezvous, the same on all ranks of a start.
struct RendezvousTerms {
    std::string token;       // secret shared by the ranks; a connection without it is refused
    std::string program;     // version of Ringside
    std::string experiment;  // hash of the experiment
    std::vector<std::string> hosts;
    std::vector<int> ports;  // ports to try; rank 0 listens on the first free one
    std::chrono::milliseconds deadline{120000};
};

// Returns the terms for a rank layout. `token`: value of RINGSIDE_TOKEN; if empty, the token is derived from the job.
// Ports are derived from the job unless the layout has a master port.
RendezvousTerms termsOf(const LaunchLayout& layout, const std::string& token, const std::string& program,
                        const std::string& experiment);

// A connected rank and its three connections.
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

// A rank that made the start fail.
struct Culprit {
    int rank = 0;         // number of the rank, as stated by the rank in its greeting
    std::string address;  // address of the rank's host; empty if the rank never connected
    bool isMisuse = false;
};

// Ranks that connected until RendezvousHost::gather() returned.
struct Gathering {
    std::vector<Guest> guests;  // connected ranks 1, 2, ..., in ascending order
    bool stopped = false;       // true if stopFd became readable before all ranks had connected
};

// Rank 0's side of the rendezvous: accepts connections until every other rank has its three, then stops listening.
// Connections without the token are refused and counted. One thread at a time.
class RendezvousHost {
  public:
    RendezvousHost(RendezvousTerms terms, const LaunchLayout& layout, std::string ownHostKey);

    // Starts listening. Returns a problem if no port is free or none of the hosts is an address of this computer.
    Problems listen();
    std::string address() const;  // returns address and port, "10.0.0.7:21345"
    std::int64_t refusedConnections() const { return m_listener.refusedConnections(); }

    // Blocks until all other ranks are connected or the deadline passes; a readable stopFd (-1: none) ends the wait
    // with Gathering::stopped. Returns a problem if ranks are missing at the deadline, have another version or
    // experiment, claim the same rank twice, or leave. Calls `log` with the missing ranks after 2 s and then at growing
    // intervals.
    Result<Gathering> gather(int stopFd, const std::function<void(const std::string&)>& log);

    // Returns the ranks that caused the problem returned by gather().
    const std::vector<Culprit>& culprits() const { return m_culprits; }

    // Refuses all ranks with the reason `why` when rank 0 cannot start, so that they stop waiting. Returns when all
    // other ranks have received it, or after `patience`.
    void refuseRanks(const std::string& why, std::chrono::milliseconds patience);

  private:
    bool handleGreeting(UniqueFd& socket, const std::string& nonce, const std::string& line);
    void answerGreeting(int socket, const Greeting& greeting, const std::string& refused) const;
    std::string findReasonToRefuse(const Greeting& greeting);
    void addConnection(UniqueFd& socket, const Greeting& greeting);
    void readControls();
    bool waitForInput(int stopFd) const;
    void logMissingRanks(const std::function<void(const std::string&)>& log);
    std::string missingText() const;
    std::vector<int> missingRanks() const;
    bool allConnected() const;
    Problem dismiss(Problem problem);
    Problem dismissWithLatecomers(Problem problem);
    Gathering close();

    const RendezvousTerms m_terms;
    const LaunchLayout m_layout;
    const std::string m_hostKey;
    AuthenticatingListener m_listener;
    std::map<int, Guest> m_guests;
    std::optional<Problem> m_problem;
    std::vector<Culprit> m_culprits;
    std::string m_refusal;  // reason given to every rank by refuseRanks(); empty if the start is not refused
    // Ranks that know why the start fails: they received the reason from refuseRanks(), or reported it themselves.
    std::set<int> m_refusedRanks;
    LineDeadline m_startedAt{};
    LineDeadline m_nextLog{};
};

}  // namespace ringside
