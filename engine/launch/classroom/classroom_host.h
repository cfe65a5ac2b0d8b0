// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "launch/classroom/classroom_lines.h"
#include "launch/classroom/classroom_member.h"
#include "launch/classroom/join_code.h"
#include "launch/wire/authenticating_listener.h"

namespace ringside {

// Lobby of a classroom: listens at one address, admits guests that know the join code, sends them the files of the run,
// and starts them as ranks. The lobby stays open during a run, for guests that join late or reconnect. All work is done
// in poll(), which blocks for at most 1 s per answered greeting; close() blocks for at most its `patience`. One thread.
class ClassroomHost {
  public:
    struct Options {
        std::string address;  // address of this host, the only address on which the classroom listens
        int port = 0;         // port of the classroom; 0: a random free port whose successor is free for the ranks
        std::string program;  // version of Ringside
        std::string hostKey;  // identifier of this host (hostKey() in launch_sources.h)
        std::size_t maxMembers = 255;  // maximum number of members
    };
    using Clock = std::chrono::steady_clock;

    explicit ClassroomHost(Options options);

    // Starts listening. Returns a problem if the port or its successor cannot be bound.
    Problems listen();
    // Returns the join code. Its port is known after listen().
    JoinCode code() const { return m_code; }
    int runPort() const { return m_code.port + 1; }  // returns the port of the ranks' rendezvous
    std::int64_t refusedConnections() const { return m_listener.refusedConnections(); }

    // Sends an offer, the files of the next start, to all members. sources: paths of the files, in the order of the
    // offer.
    void offer(ClassroomOffer offer, std::vector<std::filesystem::path> sources);
    int offered() const { return m_offer.number; }

    void addInterests(std::vector<pollfd>& waiting) const;
    // Accepts guests, and reads from and writes to all members as far as possible without blocking.
    void poll(Clock::time_point now);

    // Returns the members, in the order in which they joined.
    const std::vector<std::unique_ptr<ClassroomMember>>& members() const { return m_members; }
    // Returns the members that have all files of the current offer and from which a line has arrived within the last 6
    // s (ClassroomMember::isHere()).
    std::vector<ClassroomMember*> readyMembers(Clock::time_point now) const;
    // Starts the members as ranks 1, 2, ... of a run; this host is rank 0. Returns the token (secret) of the
    // rendezvous.
    std::string start(const std::vector<ClassroomMember*>& ranks);
    // Sets the rank of every member to -1 (no rank) after a run.
    void clearRanks();
    // Removes a member, sends the reason to it, and refuses all later connections of its process with this reason. Also
    // refuses other processes of the member's computer, unless another member joined from the same address.
    void remove(int id, const std::string& why);
    // Sends each member the news that newsFor() returns for it. Skips members with unsent data.
    void sendToAll(const std::function<std::string(const ClassroomMember&)>& newsFor);
    // Stops listening, sends the verdict to all members, and waits up to `patience` for them to close their
    // connections.
    void close(const std::string& verdict, int exitCode, std::chrono::milliseconds patience);

    // Returns the events since the last call as texts, such as "Ada joined from 10.0.0.3".
    std::vector<std::string> takeNotes();

  private:
    struct Removed {
        std::string hostKey;
        std::int64_t pid = 0;
        std::string address;  // address of the removed member; empty: only its process is refused, not its computer
        std::string why;
    };
    bool bindPair(int port);
    bool handleGreeting(UniqueFd& socket, const std::string& nonce, const std::string& line);
    std::string findReasonToRefuse(const Greeting& greeting, const std::string& address) const;
    void refuseInFuture(const ClassroomMember& member, const std::string& why);
    void admitMember(const Greeting& greeting, UniqueFd socket);
    std::string nameFor(const std::string& wanted) const;
    void handleLine(ClassroomMember& member, const ClassroomLine& line);
    void dropMember(std::size_t index, const std::string& why);

    Options m_options;
    JoinCode m_code;
    AuthenticatingListener m_listener;
    ClassroomOffer m_offer;
    std::vector<std::filesystem::path> m_sources;
    std::vector<std::unique_ptr<ClassroomMember>> m_members;
    std::vector<Removed> m_removed;
    std::vector<std::string> m_notes;
    int m_nextId = 1;
};

}  // namespace ringside
