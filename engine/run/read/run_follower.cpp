// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_follower.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/system/files.h"
#include "run/read/missing_end.h"
#include "run/read/run_life.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxAtOnce = 1U << 20;
constexpr std::string_view kEndLine = R"({"kind":"end")";

std::string_view lastLine(std::string_view wholeLines) {
    wholeLines.remove_suffix(1);
    const std::size_t newline = wholeLines.rfind('\n');
    return newline == std::string_view::npos ? wholeLines : wholeLines.substr(newline + 1);
}

}  // namespace

RunFollower::RunFollower(RunPaths paths, Traces traces, std::shared_ptr<const Clock> clock)
    : m_paths(std::move(paths)),
      m_clock(std::move(clock)),
      m_lastDataAt(m_clock->now()),
      m_watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (m_watch &&
        ::inotify_add_watch(m_watch.get(), m_paths.directory.c_str(), IN_MODIFY | IN_CREATE | IN_DELETE) < 0) {
        m_watch.reset();
    }
    if (traces == Traces::kIncluded) m_traces.emplace(m_paths);
}

bool RunFollower::advance(const std::function<void(std::string_view)>& lines) {
    if (m_ended) return false;
    // Reads the state of the run before the lines: if the run ends in between, the state is still kLive, and the next
    // call reads the last lines of the run.
    const RunLife life = runLife(m_paths.directory);
    if (!readNext(lines)) return false;
    const bool moreTraces = !m_behind && deliverTraces(lines);
    if (life == RunLife::kLive || m_behind || moreTraces) return true;
    const bool isUnknown = life == RunLife::kUnknown;
    if (isUnknown && m_clock->now() - m_lastDataAt < kUnknownPatience) return true;
    lines(isUnknown ? unknownEndLine(m_paths) : missingEndLines(m_paths));
    m_ended = true;
    return false;
}

// Reads telemetry.jsonl to its current end, or about 1 MiB of it. Returns false once the end line has been passed to
// `lines`.
bool RunFollower::readNext(const std::function<void(std::string_view)>& lines) {
    if (!m_file) {
        Result<UniqueFd> file = openFile(m_paths.telemetry());
        if (!file) return true;  // the supervisor has not created the file yet
        m_file = std::move(file).value();
    }
    std::array<char, 1U << 16> buffer;
    std::size_t taken = 0;
    for (m_behind = false; !m_behind; m_behind = taken >= kMaxAtOnce) {
        const ssize_t got = ::read(m_file.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        m_lastDataAt = m_clock->now();
        taken += static_cast<std::size_t>(got);
        deliverLines({buffer.data(), static_cast<std::size_t>(got)}, lines);
        if (m_ended) return false;
    }
    return true;
}

void RunFollower::deliverLines(std::string_view come, const std::function<void(std::string_view)>& lines) {
    const std::size_t newline = come.rfind('\n');
    if (newline == std::string_view::npos) return bufferPart(come, lines);
    m_pending += come.substr(0, newline + 1);
    // If the data begins inside an overlong line, the search for the end line starts after the rest of that line.
    const std::size_t first = m_insideLong ? m_pending.find('\n') + 1 : 0;
    const std::string_view whole = std::string_view(m_pending).substr(first);
    m_ended = !whole.empty() && lastLine(whole).substr(0, kEndLine.size()) == kEndLine;
    const std::size_t end = m_pending.size() - (m_ended ? lastLine(whole).size() + 1 : 0);
    if (m_ended && m_traces) {  // the end line must be the last line that the caller gets, after all traces
        lines(std::string_view(m_pending).substr(0, end));
        while (deliverTraces(lines)) continue;
        lines(std::string_view(m_pending).substr(end));
    } else {
        lines(m_pending);
    }
    m_pending = come.substr(newline + 1);
    m_insideLong = false;
}

// Passes new trace lines to `lines`. Returns true if the trace files may contain more.
bool RunFollower::deliverTraces(const std::function<void(std::string_view)>& lines) {
    return m_traces && m_traces->advance(lines);
}

// Buffers an incomplete line. A line longer than Decoder::kMaxLine is passed to the caller in parts; the caller's
// decoder skips it.
void RunFollower::bufferPart(std::string_view part, const std::function<void(std::string_view)>& lines) {
    m_pending += part;
    if (!m_insideLong && m_pending.size() <= Decoder::kMaxLine) return;
    m_insideLong = true;
    lines(m_pending);
    m_pending.clear();
}

void RunFollower::drainWake() const {
    std::array<char, 4096> ignored;
    while (::read(m_watch.get(), ignored.data(), ignored.size()) > 0) {
    }
}

}  // namespace ringside
