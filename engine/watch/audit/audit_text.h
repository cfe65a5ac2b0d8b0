// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run/read/run_summary.h"
#include "watch/audit/sample_audit.h"

namespace ringside {

// Returns one sentence about an epoch, such as "every sample exactly once: 1437 samples over 4 ranks".
std::string sentenceOf(const EpochAudit& epoch, bool training);
// Returns the lines of an audit, in order. Consecutive epochs with equal numbers share a line. Returns at most `most`
// lines about training, and at most `most` about validation.
std::vector<SamplesLine> linesOf(const SampleAudit& audit, std::size_t most = 12);
// Returns the numbers and lines of an audit for summary.json.
SummarySamples summaryOf(const SampleAudit& audit);

}  // namespace ringside
