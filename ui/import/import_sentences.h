// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "import/data_check.h"

namespace ringside {

// The functions below return texts about a data file.
QString kindTitle(const DataPreview& preview);  // returns, for example, "A table (CSV)"
QString previewSentence(const DataPreview& preview);
// Returns a sentence with the number, names and sizes of the classes; empty if the data has no classes.
QString classesSentence(const std::vector<PreviewClass>& classes);
QString columnTip(const PreviewColumn& column);

// Returns the default name of an experiment: "pima-mlp" for pima.csv and the MLP.
std::string suggestedName(const RunConfig& config);

}  // namespace ringside
