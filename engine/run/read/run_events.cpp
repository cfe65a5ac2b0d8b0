// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_events.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/system/files.h"
#include "base/text/line_splitter.h"
#include "run/read/run_directory.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr std::size_t kEventsPiece = 1U << 18;
constexpr std::size_t kLineStart = 32;  // number of bytes at the start of a line that contain the kind of the event

// True if the line starts with one of the kinds, as in {"kind":"script", ...
bool hasKind(std::string_view line, std::span<const std::string_view> kinds) {
    const std::string_view start = line.substr(0, kLineStart);
    return std::ranges::any_of(kinds, [start](std::string_view kind) {
        const std::size_t at = start.find(kind);
        return at != std::string_view::npos && at > 0 && start[at - 1] == '"' &&
               start.substr(at + kind.size(), 1) == "\"";
    });
}

}  // namespace

Result<std::int64_t> readRunEvents(const std::filesystem::path& run, std::span<const std::string_view> kinds,
                                   const std::function<void(const Event&)>& sink) {
    const std::filesystem::path file = RunPaths(run).telemetry();
    const Result<UniqueFd> opened = openFile(file);
    if (!opened) return opened.problem();
    LineSplitter lines(Decoder::kMaxLine);
    std::string piece(kEventsPiece, '\0');
    std::int64_t bad = 0;
    for (;;) {
        const ssize_t got = ::read(opened.value().get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Problem{file.string(), "cannot be read", "check the disk and the permissions"};
        if (got == 0) return bad;
        lines.feed({piece.data(), static_cast<std::size_t>(got)}, [&](std::string_view line) {
            if (!hasKind(line, kinds)) return;
            const Result<Event> event = decodeLine(line);
            event ? sink(event.value()) : void(++bad);
        });
    }
}

}  // namespace ringside
