// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>

#include "base/system/unique_fd.h"
#include "base/text/line_splitter.h"
#include "launch/classroom/class_lines.h"
#include "launch/wire/greeting.h"

namespace ringside {

// Somebody who has joined a class, as its host sees them: the connection, and what they have and do.
class ClassMember {
  public:
    using Time = std::chrono::steady_clock::time_point;
    using LineSink = std::function<void(const ClassLine& line)>;

    ClassMember(int id, std::string name, const Greeting& greeting, UniqueFd socket, Time now);

    int id() const { return m_id; }
    const std::string& name() const { return m_name; }
    const std::string& address() const { return m_address; }
    int fd() const { return m_socket.get(); }
    bool wantsToWrite() const { return !m_output.empty() || !m_wanted.empty() || m_left > 0; }
    // The same process as before, back on another connection.
    bool isSameAs(const Greeting& greeting) const { return m_hostKey == greeting.hostKey && m_pid == greeting.pid; }
    const std::string& hostKey() const { return m_hostKey; }
    std::int64_t pid() const { return m_pid; }

    void send(const ClassLine& line);
    // Queues a file of the offer for a guest that has asked for it.
    // False if too many are waiting already: a guest asks for one file at a time.
    bool sendFile(std::int64_t bytes, std::filesystem::path file);
    void forgetFiles() { m_wanted.clear(); }

    // What can be done without waiting; false once the connection is over or was misused.
    bool read(Time now, const LineSink& line);
    bool write();
    // At the end: sends what is left and that nothing follows, and reads what nobody wants any more. True once the
    // other side has hung up, and so heard it.
    bool hasHeardAll();

    bool isHere(Time now) const { return now - m_heardAt < kAway; }
    Time heardAt() const { return m_heardAt; }

    int ready = 0;       // the last offer that it has all of
    int rank = -1;       // in the run that goes on
    std::string doing;   // as it says itself
    bool left = false;   // for good
    std::string misuse;  // what it did that no guest does: "sent a line that is no message of a class"

    static constexpr std::size_t kMostWanted = 8;  // files that one guest may have queued

    static constexpr std::chrono::seconds kAway{6};  // silent for longer: they say something every other second

  private:
    struct Wanted {
        std::int64_t bytes = 0;
        std::filesystem::path file;
    };
    bool fillFromFile();

    int m_id;
    std::string m_name;
    std::string m_address;
    std::string m_hostKey;
    std::int64_t m_pid;
    UniqueFd m_socket;
    Time m_heardAt;
    LineSplitter m_lines{kMaxClassLine};
    std::string m_output;
    std::string m_after;  // lines that have to wait for the end of the file under way
    std::deque<Wanted> m_wanted;
    UniqueFd m_file;  // of the first that is wanted
    std::int64_t m_left = 0;
    bool m_saidAll = false;
};

}  // namespace ringside
