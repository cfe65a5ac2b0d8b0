// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/system/unique_fd.h"
#include "base/time/clock.h"
#include "run/read/run_directory.h"
#include "run/read/trace_follower.h"

namespace ringside {

// Reads a run's telemetry from its beginning and on as it grows, from another process than the one that writes it.
// Ends with the end line; where there is none and no supervisor to write it, makes one up that says why.
class RunFollower {
  public:
    enum class Traces { kLeftOut, kToo };  // trace lines among those of telemetry.jsonl
    // How long another user's run, whose lock cannot be read, may write nothing before it counts as ended. A live run
    // writes at least a heartbeat each second.
    static constexpr std::chrono::seconds kUnknownPatience{15};

    explicit RunFollower(RunPaths paths, Traces traces = Traces::kLeftOut,
                         std::shared_ptr<const Clock> clock = std::make_shared<SteadyClock>());

    // Hands over what has come, in pieces of whole lines, byte for byte as in the file, and about a megabyte at most,
    // so that the caller can listen between. False once the run has ended and everything was handed over. Never waits.
    bool advance(const std::function<void(std::string_view)>& lines);
    bool isBehind() const { return m_behind; }  // more has come already: advance again at once

    // Readable when the file may have grown; -1 where that cannot be watched. Look every quarter second as well: a
    // killed supervisor changes no file.
    int wakeFd() const { return m_watch.get(); }
    void drainWake() const;

  private:
    bool readOn(const std::function<void(std::string_view)>& lines);
    void handOver(std::string_view come, const std::function<void(std::string_view)>& lines);
    void hold(std::string_view part, const std::function<void(std::string_view)>& lines);

    bool handOverTraces(const std::function<void(std::string_view)>& lines);

    const RunPaths m_paths;
    const std::shared_ptr<const Clock> m_clock;
    TimePoint m_lastNews;  // when bytes were read last
    std::optional<TraceFollower> m_traces;
    UniqueFd m_file;
    UniqueFd m_watch;
    std::string m_pending;
    bool m_ended = false;
    bool m_insideLong = false;  // of a line too long to hold: its beginning was handed over
    bool m_behind = false;
};

}  // namespace ringside
