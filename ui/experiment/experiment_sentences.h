// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// One plain sentence under each section of the form, with the user's own numbers. data may be null while it loads or
// when it has a problem; the sentences then say only what is known.
QString dataSentence(const RunConfig& config, const DataSplit* data);
QString modelSentence(const RunConfig& config, const DataSplit* data);
// why: the reason for the backend, as the engine gives it.
QString parallelSentence(const RunConfig& config, const QString& why);
QString loadingSentence(const RunConfig& config, const DataSplit* data);
// What the workers and the device come to; empty without workers.
QString workersSentence(const RunConfig& config, const QString& device);
QString optimisationSentence(const RunConfig& config, const DataSplit* data);

}  // namespace ringside
