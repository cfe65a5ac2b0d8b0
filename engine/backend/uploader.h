// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace ringside {

// Copies batches to a device while the device computes. Used by one thread.
class Uploader {
  public:
    virtual ~Uploader() = default;
    // Starts to copy to.bytes() bytes from host memory to `to`. The copy begins after all work enqueued until now,
    // because this work may still read `to`.
    virtual void start(const void* from, const Tensor& to) = 0;
    // Makes work that is enqueued after this call wait for all copies that have been started.
    virtual void join() = 0;
    // Blocks until all started copies have read their source in host memory, which may then be overwritten.
    virtual void waitForSources() = 0;
};

}  // namespace ringside
