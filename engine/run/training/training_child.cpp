// SPDX-License-Identifier: Apache-2.0
#include "run/training/training_child.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "base/text/last_error_line.h"
#include "run/read/run_directory.h"

namespace ringside {
namespace {

// Writes the experiment for the child and returns the options that start it.
ChildOptions optionsFor(const std::filesystem::path& program, const RunConfig& config,
                        const std::filesystem::path& run) {
    const std::filesystem::path experiment = run.string() + ".json";
    writeFileAtomically(experiment, config.toText(2));
    ChildOptions options;
    options.program = program;
    options.arguments = {"run", experiment.string(), "--out", run.string()};
    return options;
}

}  // namespace

TrainingChild::TrainingChild(const std::filesystem::path& program, const RunConfig& config, const std::string& name,
                             const std::filesystem::path& directory)
    : m_run(directory / name), m_child(optionsFor(program, config, m_run)) {}

bool TrainingChild::advance() {
    std::array<char, 4096> buffer;
    while (!m_outputEnded) {
        const ssize_t count = ::read(m_child.outputFd(), buffer.data(), buffer.size());
        if (count > 0) m_output.append(buffer.data(), static_cast<std::size_t>(count));
        if (count > 0 || (count < 0 && errno == EINTR)) continue;
        if (count < 0 && errno == EAGAIN) break;
        m_outputEnded = true;
    }
    return m_child.poll().has_value() && m_outputEnded;
}

Result<TrainedChild> TrainingChild::result() const {
    const Result<RunSummary> summary = readRunSummary(RunPaths(m_run).summary());
    const bool isDone = !m_child.end()->signalled && m_child.end()->code == 0;
    if (isDone && summary) return TrainedChild{m_run, summary.value()};
    return Problem{"", failureText(summary), "leave out this strategy, or change the experiment"};
}

// Returns the reason why the training failed: the verdict of the run, or, if there is none, the last line of its output
// or a description of how the process ended. The verdict of a run that has finished is ignored, because it is no reason
// for a failure.
std::string TrainingChild::failureText(const Result<RunSummary>& summary) const {
    const bool explains = summary && summary.value().state != RunOutcome::kFinished;
    if (explains && !summary.value().verdict.empty()) return summary.value().verdict;
    const ChildEnd& end = *m_child.end();
    const std::string complaint = end.signalled ? "" : lastErrorLine(m_output);
    if (!complaint.empty()) return complaint;
    return "it " + end.text() + (!end.signalled && end.code == 0 ? " without a complete summary.json" : "");
}

// Requests the process to stop, and waits until it has ended or the time is over.
void TrainingChild::stop() {
    using std::chrono::steady_clock;
    constexpr int kPollMs = 20;
    const auto until = steady_clock::now() + std::chrono::seconds(10);
    m_child.signal(SIGTERM);
    while (!advance() && steady_clock::now() < until) {
        pollfd end{m_child.end() ? -1 : exitFd(), POLLIN, 0};
        ::poll(&end, 1, kPollMs);
    }
}

Result<TrainedChild> TrainingChild::wait(int stopFd) {
    constexpr int kPollMs = 1000;
    while (!advance()) {
        // poll() ignores a negative descriptor, from which there is nothing to read.
        std::array<pollfd, 3> waiting{{{m_outputEnded ? -1 : outputFd(), POLLIN, 0},
                                       {m_child.end() ? -1 : exitFd(), POLLIN, 0},
                                       {stopFd, POLLIN, 0}}};
        ::poll(waiting.data(), waiting.size(), kPollMs);
        if (waiting[2].revents == 0) continue;
        stop();
        throw StoppedError();
    }
    return result();
}

}  // namespace ringside
