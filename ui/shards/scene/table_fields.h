// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "shards/scene/shard_scene.h"

namespace ringside {

// Functions that return fields of the views' tables, in the C locale.
QString fieldText(std::int64_t number);
QString stepField(std::int64_t step);  // returns the number of the step, counted from 1; empty if there is no step
QString classField(const ShardScene& scene, std::int64_t sample);
bool hasClasses(const ShardScene& scene);

std::optional<SampleSlot> firstUse(const ShardPlan& plan, std::int64_t sample);
QStringList useFields(const std::optional<SampleSlot>& use);  // returns rank, step and slot; three empty fields
                                                              // if `use` is empty

}  // namespace ringside
