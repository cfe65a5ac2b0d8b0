// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "telemetry/data/trace_data.h"

namespace ringside {

// The selected step in figures: milliseconds by phase and rank.
struct StepNumbers {
    struct Row {
        QString name;
        std::vector<double> ms;  // by column
        int outlier = -1;        // the column that stands out most of all; -1: none in this row
    };
    static constexpr int kMostColumns = 5;

    std::int64_t step = 0;
    std::int64_t epoch = 0;
    double lengthMs = 0;     // from the first rank's beginning to the last one's end
    std::vector<int> ranks;  // of the columns; -1: the median of all
    std::vector<Row> rows;
    double exposed = 0;  // share of the step in which the ranks, on average, did nothing but communicate
    int missing = 0;     // ranks that have told nothing of it
};

// Of more ranks than fit: the median, the chosen one, and those that differ most from it.
StepNumbers stepNumbers(const TracedStep& step, int chosenRank);

// Mean of the ranks that told, in milliseconds by phase.
std::vector<double> meanPhases(const TracedStep& step);

}  // namespace ringside
