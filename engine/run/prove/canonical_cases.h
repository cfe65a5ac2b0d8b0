// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/prove/proof_cases.h"

namespace ringside {

// Returns the cases to run for an experiment with training.reduction canonical: the same global batch on 1, 2, 4 and 8
// data-parallel ranks under each strategy. All must end with the bits of one rank. Samples that do not fill a global
// batch are left out, because the number of padded samples would depend on the number of ranks.
std::vector<ProofCase> canonicalCases(const RunConfig& config, std::int64_t steps, std::int64_t samples);

// Returns the experiment as DDP with shared memory on the CPU of one computer, where sums have a fixed order.
RunConfig plain(const RunConfig& config, std::int64_t ranks);
// Sets the learning rate of `to` to the scaled one of `from`, independent of the number of data-parallel ranks.
void keepRate(RunConfig& to, const RunConfig& from);

}  // namespace ringside
