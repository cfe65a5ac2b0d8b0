// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"
#include "launch/classroom/classroom_host.h"
#include "launch/classroom/classroom_member.h"
#include "launch/layout/launch_layout.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "run/classroom/classroom_observer.h"
#include "run/classroom/classroom_training.h"
#include "run/prepare/classroom_data.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Runs a classroom from its first member to the end of its run. Waits for members, then trains with this computer as
// rank 0 and the members as ranks 1, 2, ... After a failure, waits for the members again and resumes from the last
// checkpoint, with fewer ranks if parallel.min_ranks allows it.
//
// Thread safety: run() is called once, from the thread that owns the host and the observer. Training is done in a
// second thread, which ends before run() returns, unless an exception leaves run(); then the destructor waits for it.
// The host and the observer must outlive this object. Throws IoError if a file of the experiment cannot be read.
class ClassroomRun {
  public:
    // Function that trains with the ranks of one start of the run; see trainClassroom(). Called in the training thread.
    using Train = std::function<ClassroomOutcome(const ClassroomPlan& plan, ClassroomTraining training)>;

    ClassroomRun(ClassroomPlan plan, ClassroomHost& host, ClassroomObserver& observer, Train train = trainClassroom);

    // Blocks until the run has ended and returns its exit code. inputFd: descriptor from which commands are read:
    // "start", "stop" or an empty line, which also starts; -1: none. signalFd: see signalInput(); a signal stops the
    // run or closes the classroom. ClassroomHost::listen() must have been called.
    int run(int inputFd, int signalFd);

  private:
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
    LaunchLayout layoutOf(const std::vector<ClassroomMember*>& ranks) const;
    ClassroomTraining trainingOf(LaunchLayout layout, RendezvousTerms terms);
    void showProgressOf(const RunData& run, unsigned changes);
    void handleOutcome(const ClassroomOutcome& outcome);
    bool canContinue(const ClassroomOutcome& outcome) const;
    bool isGuestsFault(const ClassroomOutcome& outcome) const;
    void reportGuestFailures(const ClassroomOutcome& outcome);
    void reportFailure(int id, const std::string& why, bool isMisuse);
    int idOf(const Culprit& culprit) const;
    void closeClassroom(const std::string& verdict, int exitCode);
    void reportProgress();
    std::string currentNews();
    std::int64_t maximumRanks() const { return m_plan.experiment.config.parallel.worldSize; }
    std::int64_t minimumRanks() const { return m_plan.experiment.config.parallel.minRanks; }

    ClassroomPlan m_plan;
    ClassroomHost& m_host;
    ClassroomObserver& m_observer;
    Train m_train;
    ClassroomData m_data;
    std::string m_resume;  // path of the checkpoint on this computer to resume from; empty to start from the beginning
    ClassroomPhase m_phase = ClassroomPhase::kGathering;
    std::vector<int> m_receiving;   // ids of the members that receive the files of the next start
    std::vector<int> m_ranks;       // ids of the members that are ranks 1, 2, ... of this start
    std::map<int, int> m_failures;  // number of failed runs and starts that a member caused, by member id
    std::int64_t m_worldSize = 0;
    std::int64_t m_restarts = 0;
    bool m_startRequested = false;
    bool m_stopRequested = false;
    bool m_inputEnded = false;
    UniqueFd m_stopRun;  // eventfd that stops the run
    ClassroomHost::Clock::time_point m_endedAt{};
    ClassroomHost::Clock::time_point m_reportAt{};
    int m_exitCode = 0;
    std::string m_input;
    std::mutex m_mutex;  // guards the three members below, which the run's thread writes
    std::string m_progress;
    std::vector<std::string> m_messages;
    std::string m_directory;
    // Run in progress. Declared last, so that its thread ends before the members that it uses are destroyed.
    std::future<ClassroomOutcome> m_training;
};

}  // namespace ringside
