// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "launch/classroom/class_lines.h"
#include "launch/classroom/class_member.h"
#include "launch/classroom/join_code.h"
#include "launch/wire/front_door.h"

namespace ringside {

// The lobby of a class: listens at one address, lets in who knows the join code, gives them what the run needs, and
// tells them when they become ranks. It stays open while the run goes on, for those who come late or come back. One
// thread; everything without waiting, between calls of look().
class ClassHost {
  public:
    struct Options {
        std::string address;     // the only one that is listened on
        int port = 0;            // 0: one that is free, and whose next is free for the ranks
        std::string program;     // version
        std::string hostKey;     // of this host
        std::size_t most = 255;  // members
    };
    using Clock = std::chrono::steady_clock;

    explicit ClassHost(Options options);

    Problems listen();
    JoinCode code() const { return m_code; }
    int runPort() const { return m_code.port + 1; }  // where the ranks meet
    std::int64_t strangers() const { return m_door.strangers(); }

    // What everybody has to have before the next start. sources: the files, in the order of the offer's.
    void offer(ClassOffer offer, std::vector<std::filesystem::path> sources);
    int offered() const { return m_offer.number; }

    void addInterests(std::vector<pollfd>& waiting) const;
    // Takes and gives what can be without waiting.
    void look(Clock::time_point now);

    // In the order in which they came.
    const std::vector<std::unique_ptr<ClassMember>>& members() const { return m_members; }
    // Those who have everything and are here.
    std::vector<ClassMember*> readyOnes(Clock::time_point now) const;
    // They become ranks 1, 2, ... of a run of their number and one. Gives the token of its rendezvous.
    std::string start(const std::vector<ClassMember*>& ranks);
    void noteRunEnded();
    // Removes a member and refuses it from now on, with the reason; also other processes of its computer, unless
    // another member joined from the same address.
    void remove(int id, const std::string& why);
    void tellAll(const std::string& news);
    // To all, as far as they still read; nobody is let in any more.
    void close(const std::string& verdict, int exitCode, std::chrono::milliseconds patience);

    // "Ada has come from 10.0.0.3", since the last call.
    std::vector<std::string> takeNotes();

  private:
    struct Removed {
        std::string hostKey;
        std::int64_t pid = 0;
        std::string address;  // empty: only this process is refused
        std::string why;
    };
    bool bindPair(int port);
    bool greet(UniqueFd& socket, const std::string& nonce, const std::string& line);
    std::string objection(const Greeting& greeting, const std::string& address) const;
    void refuseFromNowOn(const ClassMember& member, const std::string& why);
    void letIn(const Greeting& greeting, UniqueFd socket);
    std::string nameFor(const std::string& wanted) const;
    void take(ClassMember& member, const ClassLine& line);
    void drop(std::size_t place, const std::string& why);

    Options m_options;
    JoinCode m_code;
    FrontDoor m_door;
    ClassOffer m_offer;
    std::vector<std::filesystem::path> m_sources;
    std::vector<std::unique_ptr<ClassMember>> m_members;
    std::vector<Removed> m_removed;
    std::vector<std::string> m_notes;
    int m_nextId = 1;
};

}  // namespace ringside
