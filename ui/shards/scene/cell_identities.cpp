// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/cell_identities.h"

namespace ringside {

std::vector<Identity> identitiesOf(const ShardScene& scene, const GridCell& cell) {
    const CellContent content = cellContent(scene.plan, cell.rank, cell.slot);
    if (content.kind == CellKind::None) return {};
    std::vector<Identity> found{{IdentityKind::Sample, content.sample}, {IdentityKind::Rank, cell.rank}};
    if (content.step >= 0)
        found.push_back({IdentityKind::Step, scene.epoch * scene.plan.stepsPerEpoch() + content.step + 1});
    found.push_back({IdentityKind::Epoch, scene.epoch});
    return found;
}

}  // namespace ringside
