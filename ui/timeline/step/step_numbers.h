// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// Numbers of the selected step: milliseconds that each rank spends in each phase.
struct StepNumbers {
    struct Row {
        QString name;
        std::vector<double> ms;  // milliseconds of the phase, one value per column
        int outlier = -1;        // column whose value is an outlier; -1: none in this row
    };
    static constexpr int kMaxColumns = 5;

    std::int64_t step = 0;
    std::int64_t epoch = 0;
    double lengthMs = 0;     // length of the step in milliseconds, from the start of the first rank to the end of the
                             // last rank, without the pause
    double pausedMs = 0;     // pause within the step in milliseconds, median of the ranks; includes the time in which a
                             // rank waits for a rank that is paused or delayed by slow motion
    std::vector<int> ranks;  // rank of each column; -1: the median of all
    std::vector<Row> rows;
    double exposed = 0;  // share of the step in which the average rank only waited for other ranks or transferred data
    int missing = 0;     // number of ranks that did not report the step
};

// Returns the numbers of all ranks. If there are more than kMaxColumns (5) ranks, returns the median, the selected
// rank, and the ranks that differ the most from the median.
StepNumbers stepNumbers(const TracedStep& step, int chosenRank);

}  // namespace ringside
