// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"
#include "devices/compute_choice.h"

namespace ringside {

// Each function returns the sentence below one section of the form. `data` may be null while it loads or if it has a
// problem; the sentences then contain only what is known without the data.
QString dataSentence(const RunConfig& config, const DataSplit* data);
QString modelSentence(const RunConfig& config, const DataSplit* data);
// `why` is the reason that the engine gives for its choice of the backend.
QString parallelSentence(const RunConfig& config, const QString& why);
// Returns the reason for the choice of the backend. The form does not know the number of hosts, which the launcher
// determines, so a choice of shared memory is stated with its condition: all ranks on one host.
QString transportSentence(const RunConfig& config, const ComputeChoice& choice);
QString samplingSentence(const RunConfig& config, const DataSplit* data);
// Returns the number of loader worker threads of all ranks, and a note if pinned memory has no effect because `device`
// is not CUDA. Empty if neither applies.
QString workersSentence(const RunConfig& config, const QString& device);
QString optimisationSentence(const RunConfig& config, const DataSplit* data);

}  // namespace ringside
