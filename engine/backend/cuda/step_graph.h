// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backend/cuda/cuda_backend.h"

namespace ringside {

// A training step whose shapes do not change, recorded once and launched as one CUDA graph: one launch instead of
// dozens. The recorded work may not wait on the host, use other tensors next time, or change a scalar (a learning
// rate is part of the recording).
class StepGraph {
  public:
    // Runs work once as it is (so that matrix products choose their algorithms), then records it.
    StepGraph(CudaBackend& backend, const std::function<void()>& work);

    void launch();  // enqueues the whole step on the backend's stream

  private:
    CudaBackend& m_backend;
    cuda::UniqueGraph m_graph;
};

}  // namespace ringside
