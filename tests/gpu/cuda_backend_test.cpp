// SPDX-License-Identifier: Apache-2.0
// Compares every operation on the GPU with the CPU backend, which other tests compare with PyTorch.
#include "backend/cuda/cuda_backend.h"

#include <cstring>
#include <vector>

#include "backend/cuda/step_graph.h"
#include "both_devices.h"
#include "comm/reduce_kernels.h"
#include "support/catch.h"

using namespace ringside;
using cuda::kListCapacity;

TEST_CASE("a linear layer on the GPU agrees with the CPU, in float32 and not in TF32") {
    const auto [rows, in, out] = GENERATE(table<std::int64_t, std::int64_t, std::int64_t>(
        {{32, 64, 128}, {32, 128, 10}, {1, 10, 10}, {7, 13, 5}, {128, 4096, 512}, {3, 1, 1}}));
    Both both;
    const auto x = both.floats({rows, in}, 1);
    const auto weight = both.floats({out, in}, 2);
    const auto bias = both.floats({out}, 3);
    const auto gradY = both.floats({rows, out}, 4);
    const auto y = both.floats({rows, out}, 0);
    const auto gradWeight = both.floats({out, in}, 0);
    const auto gradBias = both.floats({out}, 0);
    const auto gradX = both.floats({rows, in}, 0);

    both.cpu->linearForward(x.cpu, weight.cpu, bias.cpu, y.cpu);
    both.gpu.linearForward(x.gpu, weight.gpu, bias.gpu, y.gpu);
    both.cpu->linearBackwardParameters(x.cpu, gradY.cpu, gradWeight.cpu, gradBias.cpu);
    both.gpu.linearBackwardParameters(x.gpu, gradY.gpu, gradWeight.gpu, gradBias.gpu);
    both.cpu->linearBackwardInput(gradY.cpu, weight.cpu, gradX.cpu);
    both.gpu.linearBackwardInput(gradY.gpu, weight.gpu, gradX.gpu);
    CHECK(both.difference(y) < kRounding);
    CHECK(both.difference(gradWeight) < kRounding);
    CHECK(both.difference(gradBias) < kRounding);
    CHECK(both.difference(gradX) < kRounding);
}

TEST_CASE("losses, hits and gradients on the GPU equal the CPU's") {
    const std::int64_t classes = GENERATE(2, 10, 33, 1000);
    Both both;
    const auto logits = both.floats({37, classes}, 5);
    const auto labels = both.labels(37, classes);
    const auto loss = both.floats({37}, 0);
    const auto correct = both.floats({37}, 0);
    const auto gradient = both.floats({37, classes}, 0);
    both.cpu->softmaxCrossEntropy(logits.cpu, labels.cpu, loss.cpu, correct.cpu, gradient.cpu);
    both.gpu.softmaxCrossEntropy(logits.gpu, labels.gpu, loss.gpu, correct.gpu, gradient.gpu);
    CHECK(both.difference(loss) < kRounding);
    CHECK(both.difference(correct) == 0);
    CHECK(both.difference(gradient) < kRounding);

    const auto target = both.floats({37, classes}, 6);
    both.cpu->meanSquaredError(logits.cpu, target.cpu, loss.cpu, gradient.cpu);
    both.gpu.meanSquaredError(logits.gpu, target.gpu, loss.gpu, gradient.gpu);
    CHECK(both.difference(loss) < kRounding);
    CHECK(both.difference(gradient) == 0);

    std::vector<std::int64_t> mine(37);
    const auto indices = both.labels(37, classes);
    both.cpu->argmax(logits.cpu, indices.cpu);
    both.gpu.argmax(logits.gpu, indices.gpu);
    both.gpu.download(indices.gpu, mine.data());
    CHECK(std::equal(mine.begin(), mine.end(), indices.cpu.integers().begin()));
}

TEST_CASE("elementwise operations are bit-identical on GPU and CPU") {
    Both both;
    const auto x = both.floats({1000}, 7);
    const auto gradient = both.floats({1000}, 8);
    both.cpu->reluForward(x.cpu, x.cpu);
    both.gpu.reluForward(x.gpu, x.gpu);
    CHECK(both.difference(x) == 0);
    both.cpu->reluBackward(x.cpu, gradient.cpu, gradient.cpu);
    both.gpu.reluBackward(x.gpu, gradient.gpu, gradient.gpu);
    CHECK(both.difference(gradient) == 0);
    both.cpu->scale(gradient.cpu, 0.25F);
    both.gpu.scale(gradient.gpu, 0.25F);
    CHECK(both.difference(gradient) == 0);

    const double momentum = GENERATE(0.0, 0.9);
    const double decay = GENERATE(0.0, 5e-4);
    const auto velocity = both.floats({1000}, 0);
    UpdateState start;
    start.lr = 0.1;
    const auto state = both.updateState(start);
    const SgdRule rule{momentum, 0, decay, momentum > 0};
    for (int step = 0; step < 4; ++step) {
        both.cpu->decideUpdate({}, {}, state.cpu);
        both.gpu.decideUpdate({}, {}, state.gpu);
        both.cpu->sgd(x.cpu, gradient.cpu, momentum > 0 ? velocity.cpu : Tensor{}, rule, state.cpu);
        both.gpu.sgd(x.gpu, gradient.gpu, momentum > 0 ? velocity.gpu : Tensor{}, rule, state.gpu);
    }
    CHECK(both.difference(x) == 0);
    // The GPU adds the squares as doubles. The CPU adds floats in 32 partial sums, which is not exact enough as a
    // reference.
    CHECK(both.gpu.squaredNorm(x.gpu) == Approx(both.sumOfSquares(x)).epsilon(1e-12));
    CHECK(both.gpu.squaredNorm(x.gpu) == both.gpu.squaredNorm(x.gpu));
}

// More tensors than one launch can list, with very different sizes.
TEST_CASE("all parameters updated in one launch have the bits of parameters updated one by one") {
    CudaOptions oneByOne;
    oneByOne.updatesAtOnce = false;
    Both atOnce;
    CudaBackend gpu(oneByOne);
    const UpdateRules rules{.clipNorm = 0.5, .beta1 = 0.9, .beta2 = 0.999};
    UpdateState start;
    start.lr = 0.1;
    const auto trained = [&](CudaBackend& backend) {
        std::vector<SgdTensors> sgd;
        std::vector<AdamTensors> adam;
        std::vector<Tensor> gradients;
        const auto tensor = [&](std::int64_t count, std::uint32_t seed) {
            const Tensor made = backend.allocate({count}, DType::kFloat32);
            backend.upload(numbers(count, seed).data(), made);
            return made;
        };
        const auto zeros = [&](std::int64_t count) { return backend.allocate({count}, DType::kFloat32); };
        for (std::uint32_t i = 0; i < 2 * kListCapacity + 3; ++i) {
            const std::int64_t count = i % 7 == 0 ? 100'003 : 1 + i;
            gradients.push_back(tensor(count, 2 * i + 1));
            sgd.push_back({tensor(count, 2 * i + 2), gradients.back(), zeros(count)});
            adam.push_back({tensor(count, 2 * i + 3), gradients.back(), zeros(count), zeros(count)});
        }
        const Tensor state = backend.allocate({sizeof start}, DType::kUInt8);
        backend.upload(&start, state);
        for (int step = 0; step < 3; ++step) {
            backend.decideUpdate(gradients, rules, state);
            backend.sgdAll(sgd, {.momentum = 0.9}, state);
            backend.adamAll(adam, {}, state);
        }
        std::vector<float> values;
        for (std::size_t i = 0; i < sgd.size(); ++i)
            for (const Tensor& one : {sgd[i].parameter, sgd[i].momentum, adam[i].parameter, adam[i].secondMoment}) {
                values.resize(values.size() + static_cast<std::size_t>(one.count()));
                backend.download(one, values.data() + values.size() - one.count());
            }
        UpdateState end;
        backend.download(state, &end);
        values.push_back(end.norm);
        return values;
    };
    CHECK(trained(atOnce.gpu) == trained(gpu));
}

TEST_CASE("the sums of a canonical reduction are bit-identical on GPU and CPU, and leaves have the same rows") {
    Both both;
    const auto onCpu = both.cpu->makeReductionKernels();
    const auto onGpu = both.gpu.makeReductionKernels();
    const auto values = both.floats({100'003}, 5);
    const auto sums = both.labels(static_cast<std::int64_t>(kExactSums), 1);  // zeros
    const auto square = both.floats({2}, 0);                                  // a double
    const auto asDouble = [](const Tensor& two) { return doublesAt(two.data, 1, two.device); };
    onCpu->addExactSquares(values.cpu, sums.cpu);
    onGpu->addExactSquares(values.gpu, sums.gpu);
    onCpu->totalOfExactSquares(sums.cpu, asDouble(square.cpu));
    onGpu->totalOfExactSquares(sums.gpu, asDouble(square.gpu));
    double expected = 0;
    double own = 0;
    both.cpu->download(asDouble(square.cpu), &expected);
    both.gpu.download(asDouble(square.gpu), &own);
    CHECK(own == expected);
    CHECK(own == Approx(both.sumOfSquares(values)).epsilon(1e-9));

    const auto batch = both.floats({64, 33}, 6);
    const auto leaf = both.floats({16, 33}, 0);
    onCpu->copyEveryNth(batch.cpu, 3, 4, leaf.cpu);
    onGpu->copyEveryNth(batch.gpu, 3, 4, leaf.gpu);
    CHECK(both.difference(leaf) == 0);

    const auto runtime = makeGpuRuntime();
    const auto blocks = both.floats({8, 1000}, 9);
    const auto tree = both.floats({1000}, 0);
    std::vector<const std::byte*> sources;
    for (std::int64_t rank = 0; rank < 8; ++rank)
        sources.push_back(static_cast<const std::byte*>(blocks.cpu.row(rank).data));
    reduceSources(CommType::kFloat32, ReduceOp::kTreeSum, static_cast<std::byte*>(tree.cpu.data), sources, 1000);
    runtime->addInTree(static_cast<float*>(blocks.gpu.data), 1000, 8, static_cast<float*>(tree.gpu.data),
                       both.gpu.stream());
    CHECK(both.difference(tree) == 0);
}

TEST_CASE("uploads larger than the pinned ring arrive completely and in order") {
    CudaBackend gpu{CudaOptions{}};
    const std::int64_t count = 10'000'001;
    const Tensor tensor = gpu.allocate({count}, DType::kFloat32);
    std::vector<float> back(static_cast<std::size_t>(count));
    for (std::uint32_t round = 1; round < 4; ++round) {
        const std::vector<float> values = numbers(count, round);
        gpu.upload(values.data(), tensor);
        gpu.download(tensor, back.data());
        CHECK(std::memcmp(back.data(), values.data(), tensor.bytes()) == 0);
    }
}

TEST_CASE("a recorded step has the results of the step") {
    Both both;
    const auto x = both.floats({32, 64}, 1);
    const auto weight = both.floats({10, 64}, 2);
    const auto bias = both.floats({10}, 3);
    const auto labels = both.labels(32, 10);
    const auto y = both.floats({32, 10}, 0);
    const auto loss = both.floats({32}, 0);
    const auto correct = both.floats({32}, 0);
    const auto gradient = both.floats({32, 10}, 0);
    const auto gradWeight = both.floats({10, 64}, 0);
    const auto gradBias = both.floats({10}, 0);
    UpdateState start;
    start.lr = 0.1;
    const auto state = both.updateState(start);
    const auto step = [&](Backend& backend, auto of) {
        backend.linearForward(of(x), of(weight), of(bias), of(y));
        backend.softmaxCrossEntropy(of(y), of(labels), of(loss), of(correct), of(gradient));
        backend.linearBackwardParameters(of(x), of(gradient), of(gradWeight), of(gradBias));
        backend.decideUpdate({}, {}, of(state));
        backend.sgd(of(weight), of(gradWeight), {}, {}, of(state));
        backend.sgd(of(bias), of(gradBias), {}, {}, of(state));
    };
    const auto onGpu = [&] { step(both.gpu, [](const Both::Pair& pair) { return pair.gpu; }); };
    onGpu();
    StepGraph graph(both.gpu, onGpu);
    for (int i = 0; i < 9; ++i) graph.launch();
    for (int i = 0; i < 10; ++i) step(*both.cpu, [](const Both::Pair& pair) { return pair.cpu; });
    CHECK(both.difference(weight) < 1e-5);
    CHECK(both.difference(loss) < 1e-5);
}

TEST_CASE("a recorded update follows the learning rate, clips, and skips infinite gradients") {
    UpdateRules rules{.clipNorm = 1, .scalesLoss = true, .beta1 = 0.9, .beta2 = 0.999};
    Both both;
    const auto parameter = both.floats({100}, 1);
    const auto first = both.floats({100}, 0);
    const auto second = both.floats({100}, 0);
    const std::vector<float> finite = numbers(100, 2);
    std::vector<float> infinite = finite;
    infinite[50] = INFINITY;
    const auto gradient = both.floats({100}, 2);
    UpdateState start;
    start.lossScale = 2;
    const auto state = both.updateState(start);
    const auto update = [&](Backend& backend, auto of) {
        const Tensor gradients[] = {of(gradient)};
        backend.decideUpdate(gradients, rules, of(state));
        backend.adam(of(parameter), of(gradient), of(first), of(second), {}, of(state));
    };
    const auto onGpu = [&] { update(both.gpu, [](const Both::Pair& pair) { return pair.gpu; }); };
    std::unique_ptr<RecordedWork> recorded;
    for (int step = 1; step < 7; ++step) {
        const double lr = 0.1 / step;
        const std::vector<float>& values = step == 4 ? infinite : finite;
        both.cpu->upload(&lr, state.cpu.head(sizeof lr));
        both.gpu.upload(&lr, state.gpu.head(sizeof lr));
        both.cpu->upload(values.data(), gradient.cpu);
        both.gpu.upload(values.data(), gradient.gpu);
        update(*both.cpu, [](const Both::Pair& pair) { return pair.cpu; });
        if (step == 1) onGpu();
        if (step == 2) recorded = both.gpu.recordingDevice()->record(onGpu);
        if (recorded) recorded->launch();
    }
    UpdateState end;
    both.gpu.download(state.gpu, &end);
    CHECK(end.updates == 5);
    CHECK(end.skippedSteps == 1);
    CHECK(end.lossScale == 1);
    CHECK(both.difference(parameter) < kRounding);
}

TEST_CASE("a recording that fails leaves the device as it was") {
    Both both;
    const auto x = both.floats({100}, 1);
    const auto intoTheHost = [&] {
        both.gpu.scale(x.gpu, 2);
        both.gpu.squaredNorm(x.gpu);
    };
    CHECK_THROWS_WITH(both.gpu.recordingDevice()->record(intoTheHost), containing("cannot be recorded"));
    both.gpu.scale(x.gpu, 2);
    both.cpu->scale(x.cpu, 2);
    CHECK(both.difference(x) == 0);
}

TEST_CASE("out of memory and a missing GPU are errors with a remedy") {
    CudaBackend gpu{CudaOptions{}};
    CHECK_THROWS_WITH(gpu.allocate({1LL << 20, 1LL << 20}, DType::kFloat32),
                      containing("does not have enough space for a tensor") && containing("lower loader.batch_size"));
    const Tensor small = gpu.allocate({4}, DType::kFloat32);
    gpu.fill(small, 3);
    CHECK(gpu.squaredNorm(small) == 36);
    CudaOptions absent;
    absent.device = 99;
    CHECK_THROWS_WITH(CudaBackend{absent}, containing("GPU 99 does not exist"));
}
