// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/prove/proof_cases.h"

namespace ringside {

// Of an experiment whose reduction is canonical: the same global batch on 1, 2, 4 and 8 readers under every strategy,
// all of which are to end with the bits of one rank. Samples that do not fill a global batch are left out, for how many
// are repeated to fill it depends on the readers; with that, any number of epochs is the same.
std::vector<ProofCase> canonicalCases(const RunConfig& config, std::int64_t steps, std::int64_t samples);

// The experiment as ddp on one computer's CPU, where sums have an order.
RunConfig plain(const RunConfig& config, std::int64_t ranks);
// The rate of the experiment, however many ranks read samples.
void keepRate(RunConfig& to, const RunConfig& from);

}  // namespace ringside
