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

// Reader of a run's telemetry from the beginning and while it grows, in another process than the writer. The output
// ends with the end line. If the file has none and no supervisor is left to write it, the reader adds an end line that
// gives the reason. Used by one thread.
class RunFollower {
  public:
    // kToo: trace lines are returned in addition to telemetry lines; kLeftOut: they are not.
    enum class Traces { kLeftOut, kToo };
    // Time without new data after which another user's run, whose lock cannot be read, counts as ended. A live run
    // writes at least one heartbeat each second.
    static constexpr std::chrono::seconds kUnknownPatience{15};

    explicit RunFollower(RunPaths paths, Traces traces = Traces::kLeftOut,
                         std::shared_ptr<const Clock> clock = std::make_shared<SteadyClock>());

    // Passes new data to the function `lines`, in pieces of whole lines, byte for byte as in the file. Returns after
    // about 1 MiB, so that the caller can serve other events; does not block. Returns false once the run has ended and
    // all data has been passed.
    bool advance(const std::function<void(std::string_view)>& lines);
    // True if more data is available without waiting: call advance() again at once.
    bool isBehind() const { return m_behind; }

    // Returns a descriptor that is readable when the file may have grown; -1 if the directory cannot be watched. Call
    // advance() every 250 ms as well, because a killed supervisor changes no file.
    int wakeFd() const { return m_watch.get(); }
    // Reads and discards the pending events of wakeFd().
    void drainWake() const;

  private:
    bool readOn(const std::function<void(std::string_view)>& lines);
    void deliverLines(std::string_view come, const std::function<void(std::string_view)>& lines);
    void bufferPart(std::string_view part, const std::function<void(std::string_view)>& lines);

    bool deliverTraces(const std::function<void(std::string_view)>& lines);

    const RunPaths m_paths;
    const std::shared_ptr<const Clock> m_clock;
    TimePoint m_lastNews;  // time of the last successful read
    std::optional<TraceFollower> m_traces;
    UniqueFd m_file;
    UniqueFd m_watch;
    std::string m_pending;
    bool m_ended = false;
    bool m_insideLong = false;  // true inside a line that is too long to buffer, whose first part was removed already
    bool m_behind = false;
};

}  // namespace ringside
