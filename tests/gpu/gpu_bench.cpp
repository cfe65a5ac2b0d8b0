// SPDX-License-Identifier: Apache-2.0
// gpu_bench: what the CUDA backend reaches on GPU 0, one line per figure. Prints and leaves when there is no GPU.
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/step_graph.h"
#include "backend/update_state.h"
#include "base/errors.h"

using namespace ringside;

namespace {

// Seconds per call: doubles the number of calls until they take long enough.
double secondsPer(CudaBackend& gpu, const std::function<void()>& work) {
    constexpr double kEnough = 0.3;
    work();
    gpu.synchronize();
    for (int calls = 1;; calls *= 2) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) work();
        gpu.synchronize();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (seconds > kEnough) return seconds / calls;
    }
}

void print(const char* what, double value, const char* unit) {
    std::printf("ours | %-44s | %12.1f | %s\n", what, value, unit);
}

// An MLP 64-128-10 with momentum, batch 32: the step whose speed is launches, not arithmetic.
class Mlp {
  public:
    explicit Mlp(CudaBackend& gpu) : m_gpu(gpu) {
        for (Tensor* weight : {&m_w1, &m_w2}) m_gpu.fill(*weight, 0.01F);
        UpdateState start;
        start.lr = 0.1;
        m_gpu.upload(&start, m_state);
    }
    void step() {
        m_gpu.decideUpdate({}, {}, m_state);
        m_gpu.linearForward(m_x, m_w1, m_b1, m_h);
        m_gpu.reluForward(m_h, m_h);
        m_gpu.linearForward(m_h, m_w2, m_b2, m_y);
        m_gpu.softmaxCrossEntropy(m_y, m_labels, m_loss, m_correct, m_gradY);
        m_gpu.linearBackwardParameters(m_h, m_gradY, m_gw2, m_gb2);
        m_gpu.linearBackwardInput(m_gradY, m_w2, m_gradH);
        m_gpu.reluBackward(m_h, m_gradH, m_gradH);
        m_gpu.linearBackwardParameters(m_x, m_gradH, m_gw1, m_gb1);
        update(m_w1, m_gw1, m_mw1);
        update(m_b1, m_gb1, m_mb1);
        update(m_w2, m_gw2, m_mw2);
        update(m_b2, m_gb2, m_mb2);
    }

  private:
    static constexpr std::int64_t kBatch = 32, kIn = 64, kHidden = 128, kOut = 10;
    Tensor make(const Shape& shape) { return m_gpu.allocate(shape, DType::kFloat32); }
    void update(const Tensor& parameter, const Tensor& gradient, const Tensor& momentum) {
        m_gpu.sgd(parameter, gradient, momentum, {.momentum = 0.9}, m_state);
    }

    CudaBackend& m_gpu;
    Tensor m_state = m_gpu.allocate({sizeof(UpdateState)}, DType::kUInt8);
    Tensor m_x = make({kBatch, kIn}), m_h = make({kBatch, kHidden}), m_y = make({kBatch, kOut});
    Tensor m_labels = m_gpu.allocate({kBatch}, DType::kInt64);
    Tensor m_loss = make({kBatch}), m_correct = make({kBatch});
    Tensor m_gradY = make({kBatch, kOut}), m_gradH = make({kBatch, kHidden});
    Tensor m_w1 = make({kHidden, kIn}), m_b1 = make({kHidden}), m_w2 = make({kOut, kHidden}), m_b2 = make({kOut});
    Tensor m_gw1 = make({kHidden, kIn}), m_gb1 = make({kHidden}), m_gw2 = make({kOut, kHidden}), m_gb2 = make({kOut});
    Tensor m_mw1 = make({kHidden, kIn}), m_mb1 = make({kHidden}), m_mw2 = make({kOut, kHidden}), m_mb2 = make({kOut});
};

void benchProducts(CudaBackend& gpu, const char* name) {
    constexpr std::int64_t kSize = 4096;
    const Shape square{kSize, kSize};
    const Tensor x = gpu.allocate(square, DType::kFloat32);
    const Tensor weight = gpu.allocate(square, DType::kFloat32);
    const Tensor bias = gpu.allocate({kSize}, DType::kFloat32);
    const Tensor y = gpu.allocate(square, DType::kFloat32);
    const double seconds = secondsPer(gpu, [&] { gpu.linearForward(x, weight, bias, y); });
    print(name, 2.0 * kSize * kSize * kSize / seconds / 1e12, "TFLOP/s");
}

void benchUploads(CudaBackend& gpu) {
    const Tensor batch = gpu.allocate({1 << 22}, DType::kFloat32);
    const std::vector<float> host(1 << 22);
    const double seconds = secondsPer(gpu, [&] { gpu.upload(host.data(), batch); });
    print("upload of 16 MiB through the pinned ring", static_cast<double>(batch.bytes()) / seconds / 1e9, "GB/s");
}

void benchAll() {
    CudaBackend gpu{CudaOptions{}};
    std::printf("# %s\n", gpu.name().c_str());
    Mlp mlp(gpu);
    print("MLP 64-128-10, batch 32, eager", 1 / secondsPer(gpu, [&] { mlp.step(); }), "steps/s");
    StepGraph graph(gpu, [&] { mlp.step(); });
    print("MLP 64-128-10, batch 32, CUDA graph", 1 / secondsPer(gpu, [&] { graph.launch(); }), "steps/s");
    benchUploads(gpu);
    benchProducts(gpu, "linear 4096 x 4096 x 4096, float32");
    using cuda::Precision;
    for (const auto& [precision, what] : {std::pair{Precision::kTf32, "linear 4096 x 4096 x 4096, TF32"},
                                          std::pair{Precision::kBfloat16, "linear 4096 x 4096 x 4096, bf16"}}) {
        CudaOptions options;
        options.precision = precision;
        CudaBackend faster(options);
        benchProducts(faster, what);
    }
}

}  // namespace

int main() {
    constexpr int kSkipped = 77;
    try {
        cuda::deviceCount();
    } catch (const DeviceError& error) {
        std::printf("skipped: no GPU: %s\n", error.what());
        return kSkipped;
    }
    try {
        benchAll();
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.exitCode());
    }
}
