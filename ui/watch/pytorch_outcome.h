// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <filesystem>

#include "run/read/checkpoint_comparison.h"
#include "run/read/run_comparison.h"

namespace ringside {

// Directories of one experiment that Ringside and PyTorch have trained.
struct ComparedRuns {
    std::filesystem::path ringside;  // run directory of Ringside's own run
    std::filesystem::path watched;   // run directory of the watched script
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

    // Returns headline and lines as text, one in each line.
    QString text() const;
};

// Compares the runs: losses as PyTorch's backward() has received them, trained samples, and weights. Blocks until the
// files are read.
PytorchOutcome comparePytorchRuns(const ComparedRuns& runs);

// Returns the line about the losses. In `watched`, run A is Ringside's run and run B is the watched PyTorch script.
PytorchOutcome::Line lossLine(const RunComparison& watched);
PytorchOutcome::Line sampleLine(const RunComparison& watched);
PytorchOutcome::Line weightLine(const CheckpointComparison& weights);

}  // namespace ringside
