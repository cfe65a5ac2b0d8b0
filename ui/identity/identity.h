// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QString>
#include <cstdint>
#include <vector>

namespace ringside {

enum class IdentityKind { Rank, Sample, Step, Epoch, Collective };

// Identifies a rank, sample, step, epoch or collective of a run, so that all pages can offer the same menu for it.
// `number`: ranks, samples and epochs count from 0; steps count from 1 over all epochs; collectives have the number
// that the trace gives them.
struct Identity {
    IdentityKind kind;
    std::int64_t number;
    std::int64_t step = 0;  // step that contains the collective; for collectives only

    bool operator==(const Identity&) const = default;
};

// Returns the name on screen, such as "Rank 3". Epochs count from 1 on screen: "Epoch 1" for the epoch with number 0.
QString identityText(const Identity& identity);
// Returns the text with which the find box of the Shards page finds `identity`; empty if the box cannot find this kind.
QString identityQuery(const Identity& identity);

// Base of widgets that draw ranks, samples, steps, epochs or collectives. On a right click, the window opens a context
// menu for the identities under the pointer.
class IdentitySource {
  public:
    virtual ~IdentitySource() = default;
    // Returns the rank, sample, step, epoch and collective that the widget draws at `point`, as far as there are any,
    // the most specific first.
    virtual std::vector<Identity> identitiesAt(const QPoint& point) const = 0;
};

}  // namespace ringside
