// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/scene_balance.h"

namespace ringside {
namespace {

bool hasLabels(const ShardScene& scene) {
    return scene.labels && scene.data && scene.ranks() >= 1;
}

std::vector<std::string> classNames(const Dataset& data) {
    std::vector<std::string> names;
    for (std::int64_t label = 0; label < data.classCount(); ++label) names.push_back(data.className(label));
    return names;
}

}  // namespace

ClassBalance classBalance(const ShardScene& scene, const std::atomic<bool>* stop) {
    return hasLabels(scene) ? classBalance(scene.plan, *scene.labels, classNames(*scene.data), stop) : ClassBalance{};
}

BatchBalance batchBalance(const ShardScene& scene, const std::atomic<bool>& stop) {
    return hasLabels(scene) ? batchBalance(scene.plan, *scene.labels, classNames(*scene.data), &stop) : BatchBalance{};
}

}  // namespace ringside
