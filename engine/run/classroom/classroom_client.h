// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/errors/result.h"
#include "base/system/child_process.h"
#include "base/text/line_splitter.h"
#include "base/text/named_choice.h"
#include "launch/classroom/classroom_guest.h"
#include "launch/classroom/classroom_lines.h"
#include "launch/classroom/join_code.h"

namespace ringside {

// Settings of a guest, which is a computer that takes part in the classroom of another computer, the host.
struct ClientSettings {
    JoinCode code;
    std::string name;
    std::filesystem::path worker;
    std::filesystem::path folder;
    std::int64_t maxBytes = 0;
    std::string program;  // version of Ringside on this computer; the classroom's host must have the same version
    int inputFd = -1;  // descriptor whose end of input makes the guest leave the classroom, as a signal does; -1: none
};

// Events of a guest: the guest has joined, receives data, receives news of the classroom or starts a rank; the rank has
// ended; the connection is lost; the classroom is over.
enum class GuestEvent : std::uint8_t { kJoined, kData, kNews, kRank, kEnded, kLost, kOver };
constexpr std::array<std::string_view, 7> namesOf(GuestEvent) {
    return {"joined", "data", "news", "rank", "ended", "lost", "over"};
}

// Receives what happens in a ClassroomClient, for display. Called from the thread of ClassroomClient::run().
class ClassroomClientObserver {
  public:
    virtual ~ClassroomClientObserver() = default;

    // Called with each event that differs from the previous one. text: a sentence that describes the event. number: the
    // rank of this computer for kRank, the exit code for kEnded and kOver; 0 for all other events.
    virtual void report(GuestEvent event, const std::string& text, std::int64_t number) = 0;
    // Called with each line of output of this computer's rank. The line can contain control characters.
    virtual void printRankLine(std::string_view line) = 0;
    // Called with the reason why this computer could not connect to the classroom. run() then ends.
    virtual void showConnectFailure(const Problem& problem) = 0;
    // Called with the reason why this computer refuses the files of the host. run() then ends.
    virtual void showRefusal(const Problem& problem) = 0;
};

// One computer as a guest of a classroom: connects, receives the files, runs a rank when the host starts it, and
// reconnects when the connection is lost.
//
// Thread safety: one thread. Owns the connection, the received files and the process of the rank; the destructor kills
// the process and removes the files. The observer must outlive this object. Throws IoError if a file cannot be written
// or the rank cannot be started.
class ClassroomClient {
  public:
    ClassroomClient(ClientSettings plan, ClassroomClientObserver& observer)
        : m_plan(std::move(plan)), m_observer(observer) {}

    // Blocks until the classroom is over or the user leaves. Returns the exit code. signalFd: descriptor that becomes
    // readable when the user leaves; see signalInput(). Call once.
    int run(int signalFd);

  private:
    using Clock = std::chrono::steady_clock;

    bool connect();
    bool wait(int signalFd);
    void readClass();
    void handleLine(const ClassroomLine& line);
    void launchRank(const ClassroomStart& start);
    void readRank();
    void endRank();
    void stopRank();
    void reportProgress();
    void report(GuestEvent event, const std::string& text, std::int64_t number = 0);
    void end(int exitCode) { m_exitCode = exitCode; }

    ClientSettings m_plan;
    ClassroomClientObserver& m_observer;
    std::unique_ptr<ClassroomGuest> m_guest;  // connection to the classroom's host; null while the connection is lost
    std::unique_ptr<ClassroomGuest> m_lostGuest;  // lost connection, which owns the files that a running rank still
                                                  // uses
    std::unique_ptr<ChildProcess> m_rank;         // rank of this computer; declared after the connections, so
                                                  // that it is destroyed before the files that it uses
    LineSplitter m_output{8192};
    std::string m_lastLine;
    std::optional<std::pair<GuestEvent, std::string>> m_lastMessage;
    std::optional<int> m_exitCode;
    Clock::time_point m_lostAt{};
    Clock::time_point m_nextConnect{};
    Clock::time_point m_reportAt{};
    Clock::time_point m_lastReceivedAt{};
    bool m_everThere = false;
};

}  // namespace ringside
