// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "launch/classroom/classroom_host.h"
#include "launch/place/launch_place.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "live/classroom_view.h"
#include "run/prepare/classroom_data.h"
#include "run/prepare/experiment_file.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Settings of a classroom.
struct ClassroomPlan {
    Experiment experiment;      // experiment of the run; its number of ranks is the desired one
    std::filesystem::path out;  // run directory
    std::filesystem::path worker;
    std::string name;  // name of the host, the member whose rank is 0
    std::int64_t mostBytes = 0;
};

// Runs a classroom from its first member to the end of its run. Waits for members, then trains with this computer as
// rank 0 and the members as ranks 1, 2, ... After a failure, waits for the members again and resumes from the last
// checkpoint, with fewer ranks if parallel.min_ranks allows it.
class ClassroomRun {
  public:
    ClassroomRun(ClassroomPlan plan, ClassroomHost& host, ClassroomView& view, Screen& screen);

    // Blocks until the run has ended and returns its exit code. Reads commands from inputFd: "start", "stop" or an
    // empty line, which also starts.
    int run(int inputFd, int signalFd);

  private:
    // kGathering: members connect; kSending: members receive the files; kRunning: a run is in progress; kOver: the
    // classroom is closed.
    enum class Phase { kGathering, kSending, kRunning, kOver };
    // Result of one start of the ranks.
    struct Outcome {
        RunOutcome state = RunOutcome::kFailed;
        std::string verdict;
        int exitCode = 0;
        int firstFailedRank = -1;
        bool isMisuse = false;               // true if the first failed rank sent invalid data
        std::vector<Culprit> culprits = {};  // ranks that made the start fail
    };

    bool offer(std::int64_t worldSize);
    void waitForNews(int inputFd, int signalFd);
    void readInput(int inputFd);
    void readSignal(int signalFd);
    void stop();
    void advance();
    void gather();
    void gatherAgain();
    void waitUntilSent();
    void begin(const std::vector<ClassroomMember*>& ranks);
    Outcome trainWith(LaunchPlace place, RendezvousTerms terms);
    void showProgressOf(const RunData& run, unsigned changes, ProgressView& progress);
    void handleOutcome(const Outcome& outcome);
    bool canContinue(const Outcome& outcome) const;
    bool isGuestsFault(const Outcome& outcome) const;
    void reportGuestFailures(const Outcome& outcome);
    void reportFailure(int id, const std::string& why, bool isMisuse);
    int idOf(const Culprit& culprit) const;
    void closeClassroom(const std::string& verdict, int exitCode);
    void reportProgress();
    std::string currentNews();
    std::int64_t maximumRanks() const { return m_plan.experiment.config.parallel.worldSize; }
    std::int64_t minimumRanks() const { return m_plan.experiment.config.parallel.minRanks; }

    ClassroomPlan m_plan;
    ClassroomHost& m_host;
    ClassroomView& m_view;
    Screen& m_screen;
    ClassroomData m_data;
    std::string m_resume;  // path of the checkpoint on this computer to resume from; empty to start from the beginning
    Phase m_phase = Phase::kGathering;
    std::vector<int> m_receiving;   // ids of the members that receive the files of the next start
    std::vector<int> m_ranks;       // ids of the members that are ranks 1, 2, ... of this start
    std::map<int, int> m_failures;  // number of failed runs and starts that a member caused, by member id
    std::int64_t m_worldSize = 0;
    std::int64_t m_restarts = 0;
    bool m_startAsked = false;
    bool m_stopAsked = false;
    bool m_inputEnded = false;
    std::future<Outcome> m_training;
    UniqueFd m_stopRun;  // eventfd that stops the run
    ClassroomHost::Clock::time_point m_endedAt{};
    ClassroomHost::Clock::time_point m_reportAt{};
    int m_exitCode = 0;
    std::string m_input;
    std::mutex m_mutex;  // guards the members below, which the run's thread writes
    std::string m_progress;
    std::vector<std::string> m_messages;
    std::string m_directory;
};

}  // namespace ringside
