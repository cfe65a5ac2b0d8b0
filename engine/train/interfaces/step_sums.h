// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "train/interfaces/metric_sums.h"

namespace ringside {

// Sums of loss and correct predictions over the samples of one step on this rank.
struct StepSums {
    double loss = 0;
    double correct = 0;
    std::size_t samples = 0;

    void add(const SampleLosses& losses) {
        loss += sumOf(losses.loss);
        correct += sumOf(losses.correct);
        samples += losses.loss.size();
    }
    double meanLoss() const { return loss / static_cast<double>(samples); }
};

}  // namespace ringside
