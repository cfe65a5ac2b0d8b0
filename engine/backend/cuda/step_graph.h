// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backend/cuda/cuda_backend.h"

namespace ringside {

// A training step of constant shapes, recorded once and launched as one CUDA graph: one launch instead of dozens. The
// recorded work must not wait on the host, must use the same tensors each time and must read changing scalars from
// device memory. Collectives on another stream are recorded too, provided that events make the collectives' stream wait
// for the backend's stream at the start of the step, and the backend's stream wait for the collectives' stream at the
// end.
class StepGraph final : public RecordedWork {
  public:
    // Records the operations that `work` enqueues, without running them. `work` must have run normally before, so that
    // its memory is allocated and its algorithms are chosen.
    StepGraph(CudaBackend& backend, const std::function<void()>& work);

    void launch() override;  // enqueues the whole step on the backend's stream

  private:
    CudaBackend& m_backend;
    cuda::UniqueGraph m_graph;
};

}  // namespace ringside
