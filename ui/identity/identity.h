// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QString>
#include <cstdint>
#include <vector>

namespace ringside {

enum class IdentityKind { Rank, Sample, Step, Epoch, Collective };

// Identifies a rank, sample, step, epoch or collective of a run on all pages that draw it. `number`: ranks, samples and
// epochs count from 0; steps count from 1 over all epochs; a collective has its number in the trace.
struct Identity {
    IdentityKind kind;
    std::int64_t number;
    std::int64_t step = 0;  // step that contains the collective; for collectives only

    bool operator==(const Identity&) const = default;
};

// Returns the name on screen, where epochs count from 1: "Rank 3", "Epoch 1" for the epoch with number 0.
QString identityText(const Identity& identity);
// Returns the query for the find box of the Shards page; empty if the box cannot find this kind.
QString identityQuery(const Identity& identity);

// Base of widgets that draw ranks, samples, steps, epochs or collectives. The window opens a context menu for those
// under the pointer.
class IdentitySource {
  public:
    virtual ~IdentitySource() = default;
    // Returns the identities of all that is drawn at a point of the widget, the most specific first.
    virtual std::vector<Identity> identitiesAt(const QPoint& point) const = 0;
};

}  // namespace ringside
