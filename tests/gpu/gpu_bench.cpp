// SPDX-License-Identifier: Apache-2.0
// gpu_bench: measures the CUDA backend on GPU 0 and prints one line per figure. Prints a message and ends if there is
// no GPU.
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/cuda_convolution.h"
#include "backend/cuda/step_graph.h"
#include "base/errors/errors.h"
#include "nn/models/loss.h"
#include "nn/models/model_factory.h"
#include "nn/optimizers/optimizer.h"
#include "train/interfaces/training_error.h"

using namespace ringside;

namespace {

// Returns the seconds per call: doubles the number of calls until they take at least 0.3 s.
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

// Fills a tensor with normally distributed values: products of zeros need less power, so a GPU computes them faster.
void fillRandomly(CudaBackend& gpu, const Tensor& values) {
    std::mt19937 generator(7);
    std::normal_distribution<float> normal;
    std::vector<float> host(static_cast<std::size_t>(values.shape.count()));
    for (float& value : host) value = normal(generator);
    gpu.upload(host.data(), values);
    gpu.synchronize();
}

void print(const std::string& what, double value, const char* unit) {
    std::printf("ours | %-44s | %12.1f | %s\n", what.c_str(), value, unit);
}

// The step of one rank with a built-in model, its loss and SGD with momentum, on data that stays on the GPU.
class Training {
  public:
    Training(CudaBackend& gpu, ModelKind kind, const Shape& sample, std::int64_t batch)
        : m_model(valueOrThrow(makeModel({.kind = kind}, {.sample = sample, .outputs = kClasses}, gpu))),
          m_loss(valueOrThrow(makeLoss(LossKind::kCrossEntropy, kClasses, 0, batch, gpu))) {
        m_model->prepare(batch);
        m_model->initialise(0);
        for (Parameter* parameter : m_model->parameters())
            parameter->gradient = gpu.allocate(parameter->shape, DType::kFloat32);
        m_optimizer = valueOrThrow(makeOptimizer({.momentum = 0.9}, m_model->parameters(), gpu));
        m_batch.features = gpu.allocate({batch, sample.count()}, DType::kFloat32);
        fillRandomly(gpu, m_batch.features);
        m_batch.labels = gpu.allocate({batch}, DType::kInt64);
    }
    void step() {
        m_loss->compute(m_model->forward(m_batch.features), m_batch, true);
        m_model->backward(m_loss->gradient(), [](std::size_t) {});
        m_optimizer->update();
    }

  private:
    static constexpr std::int64_t kClasses = 10;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Loss> m_loss;
    std::unique_ptr<Optimizer> m_optimizer;
    Batch m_batch;
};

void benchTraining(CudaBackend& gpu, ModelKind kind, const Shape& sample, std::int64_t batch, const std::string& what) {
    Training training(gpu, kind, sample, batch);
    print(what + ", eager", 1 / secondsPer(gpu, [&] { training.step(); }), "steps/s");
    StepGraph graph(gpu, [&] { training.step(); });
    print(what + ", CUDA graph", 1 / secondsPer(gpu, [&] { graph.launch(); }), "steps/s");
}

void benchProducts(CudaBackend& gpu, const std::string& name) {
    constexpr std::int64_t kSize = 4096;
    const Shape square{kSize, kSize};
    const Tensor x = gpu.allocate(square, DType::kFloat32);
    const Tensor weight = gpu.allocate(square, DType::kFloat32);
    const Tensor bias = gpu.allocate({kSize}, DType::kFloat32);
    const Tensor y = gpu.allocate(square, DType::kFloat32);
    fillRandomly(gpu, x);
    fillRandomly(gpu, weight);
    const double seconds = secondsPer(gpu, [&] { gpu.linearForward(x, weight, bias, y); });
    print(name, 2.0 * kSize * kSize * kSize / seconds / 1e12, "TFLOP/s");
}

// Measures the optimizer with parameters of the same number and sizes as those of twelve transformer blocks of width
// 256.
void benchOptimizer(bool atOnce) {
    CudaOptions options;
    options.updatesAtOnce = atOnce;
    CudaBackend gpu(options);
    std::vector<Parameter> parameters(144);
    std::vector<Parameter*> pointers;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        Parameter& one = parameters[i];
        one.shape = i % 3 == 0 ? Shape{256, 256} : Shape{256};
        one.value = gpu.allocate(one.shape, DType::kFloat32);
        one.gradient = gpu.allocate(one.shape, DType::kFloat32);
        fillRandomly(gpu, one.gradient);
        pointers.push_back(&one);
    }
    const OptimizerConfig config{.kind = OptimizerKind::kAdamW, .clipGradNorm = 1};
    const auto optimizer = valueOrThrow(makeOptimizer(config, pointers, gpu));
    const std::string what = std::string("AdamW, clipped, 144 tensors, ") + (atOnce ? "at once" : "one by one");
    print(what + ", eager", 1 / secondsPer(gpu, [&] { optimizer->update(); }), "updates/s");
    StepGraph graph(gpu, [&] { optimizer->update(); });
    print(what + ", CUDA graph", 1 / secondsPer(gpu, [&] { graph.launch(); }), "updates/s");
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
    benchUploads(gpu);
    for (const bool atOnce : {true, false}) benchOptimizer(atOnce);
    using cuda::Precision;
    for (const auto& [precision, name] :
         {std::pair{Precision::kFloat32, "float32"}, std::pair{Precision::kTf32, "TF32"},
          std::pair{Precision::kBfloat16, "bf16"}}) {
        CudaOptions options;
        options.precision = precision;
        CudaBackend one(options);
        const std::string suffix = std::string(", ") + name;
        benchTraining(one, ModelKind::kMlp, {64}, 32, "MLP 64-128-10, batch 32" + suffix);
        if (!cuda::cudnnVersion().empty())
            benchTraining(one, ModelKind::kSimpleCnn, {3, 32, 32}, 128, "SimpleCNN, batch 128" + suffix);
        benchProducts(one, "linear 4096 x 4096 x 4096" + suffix);
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
