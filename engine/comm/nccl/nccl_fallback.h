// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "comm/communicator.h"
#include "comm/store.h"

namespace ringside {

struct NcclAttempt {
    int rank = 0;
    int size = 1;
    std::chrono::milliseconds deadline{60000};                // for the other ranks' outcomes
    std::function<std::unique_ptr<Communicator>()> connect;   // over NCCL; throws CommError when NCCL refuses
    std::function<std::unique_ptr<Communicator>()> fallBack;  // what all ranks take when one of them was refused
};

// Joins by NCCL where that works on every rank. One refusal anywhere and all ranks fall back together: each puts its
// outcome into the store and reads everybody's. whyNot receives the first refusal, empty when NCCL is used.
std::unique_ptr<Communicator> connectOrFallBack(Store& store, const NcclAttempt& attempt, std::string& whyNot);

}  // namespace ringside
