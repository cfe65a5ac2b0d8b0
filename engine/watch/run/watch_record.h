// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "run/read/run_directory.h"
#include "run/record/run_recorder.h"
#include "watch/seen/epoch_results.h"
#include "watch/seen/seen_experiment.h"

namespace ringside {

// Run directory of a watched script. Events wait in memory until the script has trained a step and the loader of its
// batches is known, or for kPatienceUs after the first rank has connected, because the first line of the record
// describes the experiment. If the loader becomes known later, the first line is written again. Times are microseconds
// since the start of the run. One thread. Throws IoError if the directory cannot be written at the start.
class WatchRecord {
  public:
    // Longest wait for the first step after the first event; loading a data set or a model takes time.
    static constexpr std::int64_t kPatienceUs = 20'000'000;
    // Longest wait after the first step for the facts of a loader, which some scripts do not have.
    static constexpr std::int64_t kLoaderUs = 500'000;
    // Limit of the number of events in memory before the record begins.
    static constexpr std::size_t kMaxWaiting = 20'000;

    struct Options {
        std::string name;                      // name of the run
        std::int64_t startedUnixMs = 0;        // wall-clock time of the run's start, which is time 0 of its events, in
                                               // milliseconds since 1970
        std::optional<std::string> continues;  // run directory that this run continues; empty if there is none
    };
    WatchRecord(RunPaths paths, Options options);

    // Records an event of a rank and the line that encodes it, without its newline.
    void record(const Event& event, std::string_view line, std::int64_t nowUs);
    // Prepares the record for ranks that were started again: they may train epochs again that they had begun before the
    // restart.
    void beginAttempt();
    // Records an event of the watcher itself.
    void add(const Event& event, std::int64_t nowUs);
    void log(LogLevel level, const std::string& text, std::int64_t nowUs);
    // Begins the record if its first line is known or a waiting time has passed, and writes buffered lines to the file.
    // The caller must call it a few times a second.
    void tick(std::int64_t nowUs);

    // Begins the record if it has not begun, and passes all lines to the kernel, so that the directory can be read.
    void flush();

    // Returns a clause that states why the record does not contain the end of the run; empty if it is complete.
    std::string incompletenessReason() const;

    bool hasBegun() const { return m_recorder != nullptr; }
    const SeenExperiment& seen() const { return m_seen; }
    // Results of the sample audit and of the doctor (the checks of the run) for summary.json.
    struct Conclusions {
        std::vector<Finding> findings;
        std::vector<SummaryCheck> checks;
        std::optional<SummarySamples> samples;
        std::size_t restarts = 0;  // number of times that the launcher has started the ranks again
    };
    // Completes the record and writes summary.json. Call only if a rank has connected.
    RunEnded finish(RunEnded end, Conclusions conclusions);

  private:
    void beginRecord();
    void writeEvent(const Event& event, std::string_view line);
    std::string firstLine(const RecordedRun& run, bool ended) const;
    void rewriteRunLine(bool ended) const;
    bool isDue(std::int64_t nowUs) const;

    const RunPaths m_paths;
    const Options m_options;
    SeenExperiment m_seen;
    struct Waiting {
        Event event;
        std::string line;
    };
    std::deque<Waiting> m_waiting;
    std::optional<std::int64_t> m_firstUs;  // time of the first event
    std::optional<std::int64_t> m_stepUs;   // time at which the first step was seen
    bool m_hasLoader = false;               // true if the first line of the record describes the loader
    std::size_t m_runLineBytes = 0;         // length of the padded first line, without its newline
    std::unique_ptr<RunRecorder> m_recorder;
    std::optional<EpochResults> m_epochs;
};

}  // namespace ringside
