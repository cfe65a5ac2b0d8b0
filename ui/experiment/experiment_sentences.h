// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"
#include "devices/compute_choice.h"

namespace ringside {

// Each of the functions below returns the text that summarizes one section of the experiment form. `data` is null while
// the data set loads or if it has a problem; the texts then contain only facts that do not depend on the data.
QString dataSentence(const RunConfig& config, const DataSplit* data);
QString modelSentence(const RunConfig& config, const DataSplit* data);
// `why`: reason that the engine gives for its choice of the backend.
QString parallelSentence(const RunConfig& config, const QString& why);
// Returns a sentence with the backend of the run and the reason for it. If the choice depends on the number of hosts,
// which only the launcher knows, the sentence contains both cases: shared memory on one host, and Gloo between several
// hosts.
QString transportSentence(const RunConfig& config, const ComputeChoice& choice);
QString samplingSentence(const RunConfig& config, const DataSplit* data);
// Returns a sentence about the number of loader worker threads of all ranks, if there are any, and a note if pinned
// memory is on and has no effect because `device` is not CUDA. Empty if neither applies.
QString workersSentence(const RunConfig& config, const QString& device);
QString optimisationSentence(const RunConfig& config, const DataSplit* data);

}  // namespace ringside
