// SPDX-License-Identifier: Apache-2.0
#include "run/read/load_run.h"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/system/files.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr std::size_t kRunPiece = 1U << 18;

}  // namespace

std::shared_ptr<const RunData> loadRun(const RunPaths& paths, Curves curves, const std::function<bool()>& stopped) {
    const Result<UniqueFd> file = openFile(paths.telemetry());
    if (!file) return nullptr;
    auto data = std::make_shared<RunData>(curves);
    Decoder decoder;
    std::string piece(kRunPiece, '\0');
    while (!stopped()) {
        const ssize_t got = ::read(file.value().get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        decoder.feed({piece.data(), static_cast<std::size_t>(got)}, [&](Event&& event) { data->apply(event); });
    }
    return data->started() ? data : nullptr;
}

}  // namespace ringside
