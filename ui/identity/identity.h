// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QString>
#include <cstdint>
#include <vector>

namespace ringside {

enum class IdentityKind { Rank, Sample, Step, Epoch, Collective };

// Thing of a run that several pages draw. `number` counts as the program does: ranks, samples and epochs from 0, steps
// from 1 over all epochs, collectives as the trace numbers them.
struct Identity {
    IdentityKind kind;
    std::int64_t number;
    std::int64_t step = 0;  // step that contains the collective; for collectives only

    bool operator==(const Identity&) const = default;
};

// Returns the name as people read it: "Rank 3", "Epoch 1".
QString identityText(const Identity& identity);
// Returns what the find box of the Shards page understands; empty if it finds no such thing.
QString identityQuery(const Identity& identity);

// Widget that draws things with an identity. The window opens the menu of the things under the pointer.
class IdentitySource {
  public:
    virtual ~IdentitySource() = default;
    // Returns the things at a point of the widget, the most specific first.
    virtual std::vector<Identity> identitiesAt(const QPoint& point) const = 0;
};

}  // namespace ringside
