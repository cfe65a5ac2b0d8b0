// SPDX-License-Identifier: Apache-2.0
#include "launch/channels/rank_channels.h"

#include <fcntl.h>

namespace ringside {
namespace {

UniqueFd inherited(int fd) {
    return ::fcntl(fd, F_GETFD) >= 0 ? UniqueFd(fd) : UniqueFd();
}

}  // namespace

RankChannels RankChannels::fromSupervisor() {
    RankChannels channels;
    channels.control = inherited(kControlFd);
    channels.telemetry = inherited(kTelemetryFd);
    channels.store = inherited(kStoreFd);
    channels.shared = inherited(kSharedFd);
    return channels;
}

}  // namespace ringside
