// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "import/data_check.h"

namespace ringside {

// What a data file was taken for, for people.
QString kindTitle(const DataPreview& preview);  // "A table (CSV)"
QString previewSentence(const DataPreview& preview);
QString classesSentence(const std::vector<PreviewClass>& classes);  // empty for none
QString columnTip(const PreviewColumn& column);

// "pima-mlp" for pima.csv and the MLP: what an experiment is called until somebody names it.
std::string suggestedName(const RunConfig& config);

}  // namespace ringside
