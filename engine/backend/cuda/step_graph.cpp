// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/step_graph.h"

namespace ringside {
namespace {

struct DrawnGraphTraits {
    using Handle = cudaGraph_t;
    static Handle none() { return nullptr; }
    static void close(Handle graph) noexcept { cudaGraphDestroy(graph); }
};

// Recording of the work of a stream as a CUDA graph. If work() threw an exception, the destructor ends the recording,
// because the stream would otherwise remain unusable.
class Recording {
  public:
    Recording(CudaBackend& backend) : m_backend(backend) {
        m_backend.cudaDevice().check(cudaStreamBeginCapture(backend.stream(), cudaStreamCaptureModeThreadLocal),
                                     "recording a step as a CUDA graph");
    }
    ~Recording() {
        cudaGraph_t ignored = nullptr;
        if (m_open && cudaStreamEndCapture(m_backend.stream(), &ignored) == cudaSuccess) cudaGraphDestroy(ignored);
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    UniqueHandle<DrawnGraphTraits> end() {
        m_open = false;
        cudaGraph_t graph = nullptr;
        m_backend.cudaDevice().check(cudaStreamEndCapture(m_backend.stream(), &graph),
                                     "recording a step as a CUDA graph");
        return UniqueHandle<DrawnGraphTraits>(graph);
    }

  private:
    CudaBackend& m_backend;
    bool m_open = true;
};

}  // namespace

StepGraph::StepGraph(CudaBackend& backend, const std::function<void()>& work) : m_backend(backend) {
    Recording recording(backend);
    work();
    const UniqueHandle<DrawnGraphTraits> drawn = recording.end();
    cudaGraphExec_t graph = nullptr;
    backend.cudaDevice().check(cudaGraphInstantiate(&graph, drawn.get(), 0),
                               "preparing the CUDA graph of a recorded step");
    m_graph.reset(graph);
}

void StepGraph::launch() {
    m_backend.cudaDevice().check(cudaGraphLaunch(m_graph.get(), m_backend.stream()),
                                 "launching the CUDA graph of a recorded step");
}

}  // namespace ringside
