// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>

#include "base/system/unique_fd.h"
#include "base/text/line_splitter.h"
#include "launch/classroom/classroom_lines.h"
#include "launch/wire/greeting.h"

namespace ringside {

// Guest of a classroom on the host's side: connection, name, and state. Never blocks; one thread.
class ClassroomMember {
  public:
    using Time = std::chrono::steady_clock::time_point;
    using LineSink = std::function<void(const ClassroomLine& line)>;

    ClassroomMember(int id, std::string name, const Greeting& greeting, UniqueFd socket, Time now);

    int id() const { return m_id; }
    const std::string& name() const { return m_name; }
    const std::string& address() const { return m_address; }
    int fd() const { return m_socket.get(); }
    bool hasOutput() const { return !m_output.empty() || !m_requested.empty() || m_left > 0; }
    // True if the greeting comes from the process of this member, which is reconnecting.
    bool isSameProcess(const Greeting& greeting) const {
        return m_hostKey == greeting.hostKey && m_pid == greeting.pid;
    }
    const std::string& hostKey() const { return m_hostKey; }
    std::int64_t pid() const { return m_pid; }

    // Queues a line, after the file in transfer if there is one.
    void send(const ClassroomLine& line);
    // Queues a file that the guest has requested. Returns false if kMaxRequested files are queued already, which a
    // correct guest never causes, because it requests one file at a time.
    bool sendFile(std::int64_t bytes, std::filesystem::path file);
    // Removes the queued files. A file whose transfer has begun is sent to its end.
    void discardFiles() { m_requested.clear(); }

    // Reads or writes as much as possible without blocking. False once the connection has ended or the guest broke the
    // protocol.
    bool read(Time now, const LineSink& line);
    bool write();
    // Called repeatedly at the end of a classroom. Sends the remaining data, then closes the sending direction and
    // discards what the guest sends. True once the guest has closed the connection, or on an error.
    bool finishSending();

    bool isHere(Time now) const { return now - m_lastReceivedAt < kAway; }
    Time lastReceivedAt() const { return m_lastReceivedAt; }

    int ready = 0;            // number of the last offer of which the guest has all files
    int rank = -1;            // rank in the current run; -1: none
    bool hasTrained = false;  // true if the guest was a rank of an earlier or the current run of this classroom
    bool hasEnded = false;    // true if the guest's rank of the current run has ended
    std::string activity;     // current activity, as reported by the guest
    bool hasLeft = false;     // true if the guest has left and will not reconnect
    std::string misuse;       // violation of the protocol, such as "sent a line that is not a message of a classroom"

    static constexpr std::size_t kMaxRequested =
        8;  // maximum number of files that a guest may have requested at a time

    // Time without a line from the guest after which isHere() is false. Guests send a line every 2 s.
    static constexpr std::chrono::seconds kAway{6};

  private:
    struct Requested {
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
    Time m_lastReceivedAt;
    LineSplitter m_lines{kMaxClassroomLine};
    std::string m_output;
    std::string m_after;  // lines that are sent after the file in transfer
    std::deque<Requested> m_requested;
    UniqueFd m_file;  // file in transfer
    std::int64_t m_left = 0;
    bool m_isOutputShutDown = false;
};

}  // namespace ringside
