// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_fallback.h"

#include "base/errors/errors.h"

namespace ringside {
namespace {

std::string keyOf(int rank) {
    return "nccl-outcome-" + std::to_string(rank);
}

}  // namespace

std::unique_ptr<Communicator> connectOrFallBack(Store& store, const NcclAttempt& attempt, std::string& whyNot) {
    std::unique_ptr<Communicator> communicator;
    std::string refusal;
    try {
        communicator = attempt.connect();
    } catch (const CommError& error) {
        refusal = error.what();
    }
    store.set(keyOf(attempt.rank), {refusal.begin(), refusal.end()});
    whyNot.clear();
    for (int rank = 0; rank < attempt.size && whyNot.empty(); ++rank) {
        const std::vector<char> outcome = store.get(keyOf(rank), attempt.deadline);
        whyNot.assign(outcome.begin(), outcome.end());
    }
    if (whyNot.empty()) return communicator;
    // Aborts instead of finalising the communicator, because finalising would wait for ranks that never joined.
    if (communicator) communicator->abort();
    communicator.reset();
    return attempt.fallBack();
}

}  // namespace ringside
