// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <atomic>
#include <vector>

#include "sampling/plan_diff.h"

namespace ringside {

struct DiffColors {
    QRgb same = 0;            // on the same rank in the same step
    QRgb absent = 0;          // not dealt by the other plan
    std::vector<QRgb> ranks;  // elsewhere: by the rank that has it in the other plan
    bool operator==(const DiffColors&) const = default;
};

// One row for each rank of the plan and one column for each pixel of its slots, in the majority colour of the cells
// under it. owners: of the other plan.
QImage diffImage(const ShardPlan& plan, const ShardPlan& other, const std::vector<SampleOwner>& owners, int width,
                 const DiffColors& colors, const std::atomic<bool>& stop);

}  // namespace ringside
