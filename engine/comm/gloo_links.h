// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gloo/context.h>

#include <memory>

#include "comm/tcp/peer_links.h"

namespace ringside {

// Gloo context that runs Gloo's algorithms over the authenticated connections of PeerLinks. Gloo's own transport is not
// used: it accepts any connection, and an unknown client makes it fail.
class GlooLinks final : public gloo::Context {
  public:
    GlooLinks(int rank, int size, std::shared_ptr<PeerLinks> links, std::chrono::milliseconds timeout);
};

}  // namespace ringside
