// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace ringside {

// Batches on their way to a device while it computes. One thread calls it.
class Uploader {
  public:
    virtual ~Uploader() = default;
    // Copies to.bytes() from host memory, beginning after everything enqueued so far, which may still read `to`.
    virtual void start(const void* from, const Tensor& to) = 0;
    // What is enqueued from now on comes after everything started.
    virtual void join() = 0;
    // Returns when everything started has been read: its host memory may change again.
    virtual void waitForSources() = 0;
};

}  // namespace ringside
