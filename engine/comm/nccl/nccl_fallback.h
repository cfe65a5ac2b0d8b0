// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "comm/communicator.h"
#include "comm/store.h"

namespace ringside {

// Arguments of connectOrFallBack().
struct NcclAttempt {
    int rank = 0;
    int size = 1;
    std::chrono::milliseconds deadline{60000};  // longest wait until another rank reports whether it could connect
    std::function<std::unique_ptr<Communicator>()> connect;   // connects over NCCL; throws CommError if NCCL refuses
    std::function<std::unique_ptr<Communicator>()> fallBack;  // connects without NCCL; used by all ranks if NCCL
                                                              // refused one of them
};

// Connects over NCCL if that works on every rank. If NCCL refuses one rank, all ranks fall back together: each rank
// writes its outcome to the store and reads the outcomes of all ranks. whyNot receives the first refusal; it is empty
// if NCCL is used.
std::unique_ptr<Communicator> connectOrFallBack(Store& store, const NcclAttempt& attempt, std::string& whyNot);

}  // namespace ringside
