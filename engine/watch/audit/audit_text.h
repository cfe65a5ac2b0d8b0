// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "watch/audit/sample_audit.h"

namespace ringside {

// Line for users: a label such as "epoch 2" and a sentence.
struct AuditLine {
    std::string label;
    std::string text;
    bool isGood = true;  // nothing was repeated or left out without a reason of the sampler
    bool operator==(const AuditLine&) const = default;
};

// Returns one sentence about an epoch: "every sample exactly once: 1437 samples over 4 ranks".
std::string sentenceOf(const EpochAudit& epoch, bool training);
// Returns the lines of an audit, in order. Consecutive epochs with equal numbers share a line; at most `most` lines for
// each of training and validation.
std::vector<AuditLine> linesOf(const SampleAudit& audit, std::size_t most = 12);

}  // namespace ringside
