// SPDX-License-Identifier: Apache-2.0
#include "comm/missing_rank.h"

#include <algorithm>

#include "base/errors/errors.h"

namespace ringside {

int findMissingRank(Store& store, const std::string& prefix, int rank, int size, std::chrono::milliseconds timeout) {
    const std::string signatures = prefix + "failed/";
    try {
        store.set(signatures + std::to_string(rank), {});
    } catch (const CommError&) {
        return -1;
    }
    for (int peer = 0; peer < size; ++peer) {
        try {
            store.get(signatures + std::to_string(peer), std::min(timeout, std::chrono::milliseconds(1000)));
        } catch (const CommError&) {
            return peer;
        }
    }
    return -1;
}

}  // namespace ringside
