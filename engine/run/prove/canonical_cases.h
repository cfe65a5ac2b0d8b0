// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/prove/proof_cases.h"

namespace ringside {

// Returns the trainings (cases) that check an experiment with training.reduction canonical, which adds gradients in an
// order that does not depend on the number of ranks. The cases train the same global batch on 1, 2, 4 and 8
// data-parallel ranks under each strategy. All cases must end with weights that have the same bits as the case with one
// rank. Samples that do not fill a global batch are omitted, because the number of padded samples would depend on the
// number of ranks.
std::vector<ProofCase> canonicalCases(const RunConfig& config, std::int64_t steps, std::int64_t samples);

// Returns a copy of the experiment for `ranks` ranks with DDP and shared memory on the CPU of one computer, where sums
// have a fixed order.
RunConfig withPlainDdp(const RunConfig& config, std::int64_t ranks);
// Sets the learning rate of `to` so that it equals the scaled learning rate of `from`, and switches off scaling by the
// number of data-parallel ranks in `to`.
void copyLearningRate(RunConfig& to, const RunConfig& from);

}  // namespace ringside
