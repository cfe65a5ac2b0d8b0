// SPDX-License-Identifier: Apache-2.0
#include "run/classroom/classroom_run.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/errors/exit_code.h"
#include "base/system/signal_input.h"
#include "run/prepare/prepared_run.h"
#include "run/prepare/resume_point.h"
#include "run/supervise/restart_policy.h"
#include "run/supervise/run_place.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kPollInterval{50};
constexpr seconds kReportInterval{2};
// Time after a failed run in which lost members can reconnect. Afterwards, the run continues without them.
constexpr seconds kComeBack{8};
constexpr seconds kMeet{60};
constexpr seconds kClosePatience{3};
// Limit of the number of restarts if parallel.max_restarts is 0 and parallel.min_ranks is set.
constexpr std::int64_t kManyRestarts = 1000;
constexpr std::size_t kMaxInput = 4096;
constexpr int kMaxFailures = 3;  // number of failures after which a guest is removed

std::string namesOf(const std::vector<ClassroomMember*>& members) {
    std::string names;
    for (const ClassroomMember* member : members) names += (names.empty() ? "" : ", ") + member->name();
    return names;
}

}  // namespace

ClassroomRun::ClassroomRun(ClassroomPlan plan, ClassroomHost& host, ClassroomObserver& observer, Train train)
    : m_plan(std::move(plan)), m_host(host), m_observer(observer), m_train(std::move(train)) {}

int ClassroomRun::run(int inputFd, int signalFd) {
    if (!offer(maximumRanks())) return m_exitCode;
    m_observer.begin(m_host, m_plan.experiment.config.name, static_cast<int>(maximumRanks()));
    while (m_phase != ClassroomPhase::kOver) {
        waitForNews(inputFd, signalFd);
        m_host.poll(ClassroomHost::Clock::now());
        for (const std::string& note : m_host.takeNotes()) m_observer.print(note);
        advance();
        reportProgress();
    }
    return m_exitCode;
}

// Offers experiment, data and checkpoint for `worldSize` ranks to the members. Ends the classroom and returns false if
// these files cannot be prepared.
bool ClassroomRun::offer(std::int64_t worldSize) {
    RunConfig config = classConfig(m_plan.experiment.config, worldSize);
    resolvePaths(config, m_plan.experiment.baseDirectory);
    m_resume = config.training.resume;
    std::filesystem::path checkpoint;
    if (m_restarts > 0) {
        const Result<std::string> found = findResumeAuto(m_plan.out, config.dataRanks());
        m_resume = found ? found.value() : "";
        applyLiveChanges(config, m_resume, {});
    }
    if (!m_resume.empty()) {
        const Result<std::filesystem::path> found = findCheckpoint(m_resume);
        if (!found) return closeClassroom(found.problem().text(), static_cast<int>(ExitCode::kBadConfiguration)), false;
        checkpoint = found.value();
    }
    Result<ClassroomData> data = gatherClassroomData(config, checkpoint, m_plan.maxBytes);
    if (!data) return closeClassroom(data.problem().text(), static_cast<int>(ExitCode::kBadConfiguration)), false;
    m_data = std::move(data).value();
    m_host.offer(m_data.offer, m_data.sources);
    return true;
}

void ClassroomRun::waitForNews(int inputFd, int signalFd) {
    std::vector<pollfd> waiting{{signalFd, POLLIN, 0}, {m_inputEnded ? -1 : inputFd, POLLIN, 0}};
    m_host.addInterests(waiting);
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(kPollInterval.count())) <= 0) return;
    if (waiting[0].revents != 0) readSignal(signalFd);
    if (waiting[1].revents != 0) readInput(inputFd);
}

void ClassroomRun::readSignal(int signalFd) {
    if (readSignalFrom(signalFd)) stop();
}

void ClassroomRun::readInput(int inputFd) {
    std::array<char, 512> bytes;
    const ssize_t got = ::read(inputFd, bytes.data(), bytes.size());
    if (got <= 0) {
        m_inputEnded = true;
        // The input ends when the program that started this process has ended. A run in progress continues, because
        // other programs can control it through the run's own socket.
        if (m_plan.stopsAtEndOfInput && m_phase != ClassroomPhase::kRunning) stop();
        return;
    }
    m_input.append(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t end = m_input.find('\n'); end != std::string::npos; end = m_input.find('\n')) {
        const std::string line = m_input.substr(0, end);
        m_input.erase(0, end + 1);
        if (line == "stop") stop();
        if (line == "start" || line.empty()) m_startRequested = true;
    }
    if (m_input.size() > kMaxInput) m_input.clear();
}

void ClassroomRun::stop() {
    m_stopRequested = true;
    const std::uint64_t one = 1;
    if (m_phase == ClassroomPhase::kRunning) {
        [[maybe_unused]] const ssize_t written = ::write(m_stopRun.get(), &one, sizeof one);
    } else {
        closeClassroom(m_restarts == 0 ? "the classroom was closed before the run started"
                                       : "the classroom was closed before the run started again",
                       static_cast<int>(ExitCode::kStopped));
    }
}

void ClassroomRun::advance() {
    if (m_phase == ClassroomPhase::kGathering) return m_worldSize == 0 ? gather() : gatherAgain();
    if (m_phase == ClassroomPhase::kSending) return waitUntilSent();
    if (m_phase != ClassroomPhase::kRunning) return;
    std::vector<std::string> messages;
    std::string directory;
    {
        const std::lock_guard lock(m_mutex);
        messages.swap(m_messages);
        directory.swap(m_directory);
    }
    for (const std::string& sentence : messages) m_observer.print(sentence);
    if (!directory.empty()) m_observer.runBegins(directory);
    if (m_training.wait_for(seconds(0)) == std::future_status::ready) handleOutcome(m_training.get());
}

void ClassroomRun::gather() {
    std::vector<ClassroomMember*> ready = m_host.readyMembers(ClassroomHost::Clock::now());
    const auto others = static_cast<std::size_t>(maximumRanks() - 1);
    if (ready.size() > others) ready.resize(others);
    if (ready.size() == others || (m_startRequested && !ready.empty())) return begin(ready);
    if (std::exchange(m_startRequested, false)) m_observer.print("no computer is ready yet");
}

// Called repeatedly after a failed run until training can continue. Sends the members a new offer, because they may
// lack the latest checkpoint. Sends it as soon as one of these conditions holds: all members are back; the user has
// entered "start" and at least one member is present; kComeBack has passed and at least parallel.min_ranks ranks
// (including this computer) are present.
void ClassroomRun::gatherAgain() {
    const auto now = ClassroomHost::Clock::now();
    std::vector<ClassroomMember*> here;
    for (const auto& member : m_host.members()) {
        if (member->isHere(now) && here.size() + 1 < static_cast<std::size_t>(maximumRanks()))
            here.push_back(member.get());
    }
    const auto ranks = static_cast<std::int64_t>(here.size()) + 1;
    const bool all = ranks >= m_worldSize;
    const bool enough =
        minimumRanks() > 0 && ranks >= std::max<std::int64_t>(minimumRanks(), 2) && now - m_endedAt > kComeBack;
    if (here.empty() || (!all && !enough && !m_startRequested)) return;
    m_startRequested = false;
    if (!offer(ranks)) return;
    m_receiving.clear();
    for (const ClassroomMember* member : here) m_receiving.push_back(member->id());
    m_phase = ClassroomPhase::kSending;
}

void ClassroomRun::waitUntilSent() {
    std::vector<ClassroomMember*> ready;
    const auto now = ClassroomHost::Clock::now();
    std::size_t lost = m_receiving.size();
    for (const auto& member : m_host.members()) {
        if (std::ranges::find(m_receiving, member->id()) == m_receiving.end() || !member->isHere(now)) continue;
        --lost;
        if (member->ready == m_host.offered()) ready.push_back(member.get());
    }
    if (lost > 0) {
        m_phase = ClassroomPhase::kGathering;
    } else if (ready.size() == m_receiving.size()) {
        begin(ready);
    }
}

void ClassroomRun::begin(const std::vector<ClassroomMember*>& ranks) {
    {
        const std::lock_guard lock(m_mutex);
        m_progress.clear();
    }
    const auto before = std::exchange(m_worldSize, static_cast<std::int64_t>(ranks.size()) + 1);
    m_startRequested = false;
    LaunchLayout layout = layoutOf(ranks);
    RunConfig offered = m_data.offered;
    offered.parallel.worldSize = m_worldSize;
    m_ranks.clear();
    for (const ClassroomMember* member : ranks) m_ranks.push_back(member->id());
    const std::string token = m_host.start(ranks);
    RendezvousTerms terms = termsOf(layout, token, m_plan.program, experimentHash(offered));
    terms.deadline = kMeet;
    m_observer.print("starting " + std::to_string(m_worldSize) + " ranks: " + m_plan.name + ", " + namesOf(ranks));
    if (m_restarts > 0 && m_worldSize != before)
        m_observer.print("the samples after the last complete epoch are assigned to " + std::to_string(m_worldSize) +
                         " ranks instead of " + std::to_string(before));
    m_stopRun = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    m_phase = ClassroomPhase::kRunning;
    m_training =
        std::async(std::launch::async, [this, training = trainingOf(std::move(layout), std::move(terms))]() mutable {
            m_observer.beginTraining();
            return m_train(m_plan, std::move(training));
        });
}

LaunchLayout ClassroomRun::layoutOf(const std::vector<ClassroomMember*>& ranks) const {
    LaunchLayout layout;
    layout.launcher = LauncherKind::kClassroom;
    layout.worldSize = static_cast<int>(m_worldSize);
    layout.masterHosts = {m_host.code().host};
    layout.masterPort = m_host.runPort();
    layout.found = {"ringsidectl host"};
    layout.hosts = {m_plan.name};
    for (const ClassroomMember* member : ranks) layout.hosts.push_back(member->name());
    layout.restart = static_cast<int>(m_restarts);
    return layout;
}

// Returns the settings of the next start of the ranks. The functions in them are called in the training thread.
ClassroomTraining ClassroomRun::trainingOf(LaunchLayout layout, RendezvousTerms terms) {
    ClassroomTraining training{std::move(layout), std::move(terms), m_resume, m_restarts, m_stopRun.get(), {}, {}};
    training.onChange = [this](const RunData& run, unsigned changes) { showProgressOf(run, changes); };
    training.log = [this](const std::string& text) {
        const std::lock_guard lock(m_mutex);
        m_messages.push_back(text);
    };
    return training;
}

void ClassroomRun::showProgressOf(const RunData& run, unsigned changes) {
    if ((changes & kRunStartedChanged) != 0 && run.started()) {
        const std::lock_guard lock(m_mutex);
        m_directory = run.started()->runDirectory;
    }
    m_observer.showProgress(run, changes);
    const auto& last = run.lastStep();
    if (!last) return;
    const std::lock_guard lock(m_mutex);
    m_progress = fmt::format("step {} of {}, loss {:.4f}", last->step, run.totalSteps(), last->loss);
}

bool ClassroomRun::canContinue(const ClassroomOutcome& outcome) const {
    const std::int64_t allowed = m_plan.experiment.config.parallel.maxRestarts;
    const std::int64_t maxRestarts = allowed == 0 && minimumRanks() > 0 ? kManyRestarts : allowed;
    const bool passes = isRestartable(outcome.exitCode) || isGuestsFault(outcome);
    return outcome.state == RunOutcome::kFailed && passes && !m_stopRequested && m_restarts < maxRestarts;
}

// True if the run failed because of a guest: its rank refused the configuration or the data, sent invalid data or had
// an internal error. The run can then continue without that guest.
bool ClassroomRun::isGuestsFault(const ClassroomOutcome& outcome) const {
    const bool isOwn = outcome.exitCode == static_cast<int>(ExitCode::kBadConfiguration) ||
                       outcome.exitCode == static_cast<int>(ExitCode::kInternal);
    return outcome.firstFailedRank > 0 && (isOwn || outcome.isMisuse);
}

// Counts for each guest the starts and runs that failed because of its rank. Removes a guest at once if the guest is
// certainly the cause, otherwise after kMaxFailures failures.
void ClassroomRun::reportGuestFailures(const ClassroomOutcome& outcome) {
    for (const Culprit& culprit : outcome.culprits)
        reportFailure(idOf(culprit), "prevented the start of the run", culprit.isMisuse);
    const auto index = static_cast<std::size_t>(outcome.firstFailedRank) - 1;
    if (outcome.firstFailedRank <= 0 || index >= m_ranks.size()) return;
    const char* const why = outcome.isMisuse         ? "sent a line that a rank never sends"
                            : isGuestsFault(outcome) ? "could not train the experiment"
                                                     : "ended the run";
    reportFailure(m_ranks[index], why, isGuestsFault(outcome));
}

void ClassroomRun::reportFailure(int id, const std::string& why, bool isMisuse) {
    if (id == 0 || (!isMisuse && ++m_failures[id] < kMaxFailures)) return;
    m_host.remove(id, isMisuse ? why : why + " " + std::to_string(kMaxFailures) + " times");
}

// Returns the id of the member with the network address of `culprit`, a rank that made the start fail. If several
// members have this address, returns the member whose rank number is culprit.rank. Returns 0 if no member fits.
int ClassroomRun::idOf(const Culprit& culprit) const {
    const auto index = static_cast<std::size_t>(culprit.rank) - 1;
    const int named = culprit.rank > 0 && index < m_ranks.size() ? m_ranks[index] : 0;
    if (culprit.address.empty()) return named;
    std::vector<int> there;
    for (const auto& member : m_host.members()) {
        if (member->address() == culprit.address) there.push_back(member->id());
    }
    if (there.size() == 1) return there.front();
    return std::ranges::find(there, named) == there.end() ? 0 : named;
}

void ClassroomRun::handleOutcome(const ClassroomOutcome& outcome) {
    m_host.clearRanks();
    if (!canContinue(outcome)) return closeClassroom(outcome.verdict, outcome.exitCode);
    reportGuestFailures(outcome);
    ++m_restarts;
    m_endedAt = ClassroomHost::Clock::now();
    m_phase = ClassroomPhase::kGathering;
    m_observer.print(outcome.verdict);
    m_observer.print("waiting for " + std::to_string(m_worldSize - 1) +
                     (m_worldSize == 2 ? " computer" : " computers") + " to reconnect" +
                     (minimumRanks() > 0
                          ? ", or until at least " + std::to_string(std::max<std::int64_t>(minimumRanks(), 2)) +
                                " ranks are connected"
                          : ""));
}

void ClassroomRun::closeClassroom(const std::string& verdict, int exitCode) {
    m_phase = ClassroomPhase::kOver;
    m_exitCode = exitCode;
    m_observer.showEnd(verdict, exitCode);
    m_host.close(verdict, exitCode, kClosePatience);
    if (exitCode != 0) m_observer.showFailure(verdict);
}

std::string ClassroomRun::currentNews() {
    const auto here = m_host.readyMembers(ClassroomHost::Clock::now());
    if (m_phase == ClassroomPhase::kRunning) {
        const std::lock_guard lock(m_mutex);
        return m_progress.empty() ? "starting" : m_progress;
    }
    if (m_phase == ClassroomPhase::kSending) return "sending the checkpoint from which the ranks continue";
    const std::int64_t wanted = m_worldSize == 0 ? maximumRanks() : m_worldSize;
    return std::to_string(here.size() + 1) + " of " + std::to_string(wanted) + " computers are ready" +
           (here.empty() ? "" : ": " + m_plan.name + ", " + namesOf(here));
}

void ClassroomRun::reportProgress() {
    if (m_phase == ClassroomPhase::kOver) return;
    const auto now = ClassroomHost::Clock::now();
    const std::string news = currentNews();
    m_observer.show(m_host, {m_phase, static_cast<int>(maximumRanks()), static_cast<int>(minimumRanks()),
                             m_phase == ClassroomPhase::kRunning ? "" : news});
    if (now < m_reportAt) return;
    m_reportAt = now + kReportInterval;
    m_host.sendToAll([&](const ClassroomMember& member) {
        if (m_phase != ClassroomPhase::kRunning || member.rank >= 0) return news;
        // Rank 0, on the host, may still save the weights after the ranks of the guests have ended.
        if (member.hasEnded) return "the rank of this computer has ended; the run has not ended yet: " + news;
        return "the other computers are training; this computer takes part from the next start: " + news;
    });
}

}  // namespace ringside
