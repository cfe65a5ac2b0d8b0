// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "import/data_check.h"

namespace ringside {

// Texts about the detected kind of a data file.
QString kindTitle(const DataPreview& preview);  // returns, for example, "A table (CSV)"
QString previewSentence(const DataPreview& preview);
// Returns a sentence about the classes of the data set; empty without classes.
QString classesSentence(const std::vector<PreviewClass>& classes);
QString columnTip(const PreviewColumn& column);

// Returns the default name of an experiment: "pima-mlp" for pima.csv and the MLP.
std::string suggestedName(const RunConfig& config);

}  // namespace ringside
