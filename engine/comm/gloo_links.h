// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gloo/context.h>

#include <memory>

#include "comm/tcp/peer_links.h"

namespace ringside {

// Gloo's algorithms over connections of ours: Gloo's own transport listens for whoever comes first, and a stranger's
// connection ends it.
class GlooLinks final : public gloo::Context {
  public:
    GlooLinks(int rank, int size, std::shared_ptr<PeerLinks> links, std::chrono::milliseconds timeout);
};

}  // namespace ringside
