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

// Reader of a live or finished run's telemetry, from the first line, in another process than the writer. The last line
// of the output is always an end line: if the file has none and no supervisor is left to write one, the reader adds an
// end line that states the reason. Used by one thread.
class RunFollower {
  public:
    // kIncluded: advance() passes trace lines in addition to telemetry lines; kExcluded: telemetry lines only.
    enum class Traces { kExcluded, kIncluded };
    // Time without new data after which another user's run, whose lock cannot be read, counts as ended. A live run
    // writes at least one heartbeat each second.
    static constexpr std::chrono::seconds kUnknownPatience{15};

    explicit RunFollower(RunPaths paths, Traces traces = Traces::kExcluded,
                         std::shared_ptr<const Clock> clock = std::make_shared<SteadyClock>());

    // Passes new data to the function `lines`, in pieces of whole lines, byte for byte as in the file. Returns after
    // about 1 MiB, so that the caller can serve other events; does not block. Returns false once the run has ended and
    // all data has been passed.
    bool advance(const std::function<void(std::string_view)>& lines);
    // True if the last advance() did not reach the end of the file: call advance() again at once.
    bool isBehind() const { return m_behind; }

    // Returns a descriptor that is readable when the file may have grown; -1 if the directory cannot be watched. Call
    // advance() every 250 ms as well, because a killed supervisor changes no file.
    int wakeFd() const { return m_watch.get(); }
    // Reads and discards the pending events of wakeFd().
    void drainWake() const;

  private:
    bool readNext(const std::function<void(std::string_view)>& lines);
    void deliverLines(std::string_view come, const std::function<void(std::string_view)>& lines);
    void bufferPart(std::string_view part, const std::function<void(std::string_view)>& lines);

    // Passes new trace lines to `lines`. Returns true if there may be more of them.
    bool deliverTraces(const std::function<void(std::string_view)>& lines);

    const RunPaths m_paths;
    const std::shared_ptr<const Clock> m_clock;
    TimePoint m_lastDataAt;  // time of the last read that returned data
    std::optional<TraceFollower> m_traces;
    UniqueFd m_file;
    UniqueFd m_watch;
    std::string m_pending;
    bool m_ended = false;
    // True while the reader is inside a line that is too long to buffer. The first part of the line has been passed to
    // the caller.
    bool m_insideLong = false;
    bool m_behind = false;
};

}  // namespace ringside
