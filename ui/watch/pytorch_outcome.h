// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <filesystem>

#include "run/read/checkpoint_comparison.h"
#include "run/read/run_comparison.h"

namespace ringside {

// Directories with the results of one experiment that both Ringside and PyTorch have trained.
struct ComparedRuns {
    std::filesystem::path ringside;  // run directory of Ringside's own run
    std::filesystem::path watched;   // run directory of the watched PyTorch script
    std::filesystem::path script;    // directory that the exported script has written (--out)
};

// Result of the comparison of Ringside's run with PyTorch's.
struct PytorchOutcome {
    enum class Result { kEqual, kDifferent, kNotCompared };
    struct Line {
        QString label;
        QString text;
        Result result = Result::kEqual;
    };
    Result result = Result::kNotCompared;
    QString headline;
    QList<Line> lines;
    ComparedRuns runs;

    // Returns the headline and then the lines as one text, separated by line breaks.
    QString text() const;
};

// Compares the losses, the trained samples and the weights of both runs. PyTorch's losses are the values on which the
// script called backward(). Blocks until all files are read.
PytorchOutcome comparePytorchRuns(const ComparedRuns& runs);

// Returns the line about the losses. In the comparison `watched`, run A is Ringside's run and run B is the run of the
// watched PyTorch script.
PytorchOutcome::Line lossLine(const RunComparison& watched);
PytorchOutcome::Line sampleLine(const RunComparison& watched);
PytorchOutcome::Line weightLine(const CheckpointComparison& weights);

}  // namespace ringside
