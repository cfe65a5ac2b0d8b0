// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backend/cuda/cuda_backend.h"

namespace ringside {

// A training step whose shapes do not change, recorded once and launched as one CUDA graph: one launch instead of
// dozens. The recorded work may not wait on the host, use other tensors next time, or take scalars that change from
// anywhere but device memory. Collectives on a stream that branches off and comes back are recorded along.
class StepGraph final : public RecordedWork {
  public:
    // Records what work enqueues and does not run it; it must have run before, so that memory and algorithms are there.
    StepGraph(CudaBackend& backend, const std::function<void()>& work);

    void launch() override;  // enqueues the whole step on the backend's stream

  private:
    CudaBackend& m_backend;
    cuda::UniqueGraph m_graph;
};

}  // namespace ringside
