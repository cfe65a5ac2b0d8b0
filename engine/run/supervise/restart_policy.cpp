// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/restart_policy.h"

#include <algorithm>
#include <array>

#include "base/errors/exit_code.h"

namespace ringside {

bool isRestartable(int exitCode) {
    constexpr std::array kCodes{ExitCode::kCommunicationFailed, ExitCode::kDeviceFailed, ExitCode::kRankDied,
                                ExitCode::kRankHung};
    return std::ranges::any_of(kCodes, [exitCode](ExitCode code) { return exitCode == static_cast<int>(code); });
}

std::chrono::milliseconds restartDelay(std::int64_t restart, std::chrono::milliseconds first) {
    constexpr std::chrono::milliseconds kLongest{30000};
    constexpr std::int64_t kMaxDoublings = 10;
    return std::min(first * (std::int64_t{1} << std::min(restart - 1, kMaxDoublings)), kLongest);
}

}  // namespace ringside
