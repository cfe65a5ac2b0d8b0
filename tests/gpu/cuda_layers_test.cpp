// SPDX-License-Identifier: Apache-2.0
// Compares the layers for images and transformers on the GPU with the CPU backend, which other tests compare with
// PyTorch.
#include <cstring>

#include "both_devices.h"
#include "support/catch.h"

using namespace ringside;

namespace {

struct ConvolutionRun {
    ConvolutionRun(Both& both, const ConvolutionSpec& spec, std::int64_t images)
        : x(both.floats({images, spec.height, spec.width, spec.inChannels}, 1)),
          weight(both.floats({spec.outChannels, spec.inChannels, spec.kernel, spec.kernel}, 2)),
          bias(both.floats({spec.outChannels}, 3)),
          gradY(both.floats({images, spec.outHeight(), spec.outWidth(), spec.outChannels}, 4)),
          y(both.floats(gradY.cpu.shape, 0)),
          gradWeight(both.floats(weight.cpu.shape, 0)),
          gradBias(both.floats(bias.cpu.shape, 0)),
          gradX(both.floats(x.cpu.shape, 0)) {
        const auto onCpu = both.cpu->makeConvolution(spec);
        onCpu->forward(x.cpu, weight.cpu, bias.cpu, y.cpu);
        onCpu->backwardParameters(x.cpu, gradY.cpu, gradWeight.cpu, gradBias.cpu);
        onCpu->backwardInput(gradY.cpu, weight.cpu, gradX.cpu);
        const auto onGpu = both.gpu.makeConvolution(spec);
        onGpu->forward(x.gpu, weight.gpu, bias.gpu, y.gpu);
        onGpu->backwardParameters(x.gpu, gradY.gpu, gradWeight.gpu, gradBias.gpu);
        onGpu->backwardInput(gradY.gpu, weight.gpu, gradX.gpu);
        both.gpu.synchronize();
    }
    double worst(Both& both) const {
        return std::max(
            {both.difference(y), both.difference(gradWeight), both.difference(gradBias), both.difference(gradX)});
    }
    Both::Pair x, weight, bias, gradY, y, gradWeight, gradBias, gradX;
};

CudaOptions with(cuda::Precision precision) {
    CudaOptions options;
    options.precision = precision;
    return options;
}

}  // namespace

TEST_CASE("a convolution on the GPU agrees with the CPU, in float32 and not in TF32") {
    const ConvolutionSpec spec =
        GENERATE(ConvolutionSpec{3, 32, 32, 32, 3, 1, 1}, ConvolutionSpec{32, 16, 16, 64, 3, 1, 1},
                 ConvolutionSpec{1, 28, 28, 8, 5, 1, 0}, ConvolutionSpec{4, 9, 7, 6, 3, 2, 1});
    Both both;
    CHECK(ConvolutionRun(both, spec, 5).worst(both) < 1e-5);
}

TEST_CASE("a recorded convolution is bit-identical to a direct one") {
    const ConvolutionSpec spec{3, 12, 12, 8, 3, 1, 1};
    Both both(with(GENERATE(cuda::Precision::kFloat32, cuda::Precision::kBfloat16, cuda::Precision::kFloat16)));
    const auto x = both.floats({4, 12, 12, 3}, 1), weight = both.floats({8, 3, 3, 3}, 2), bias = both.floats({8}, 3);
    const auto y = both.floats({4, 12, 12, 8}, 0), gradX = both.floats(x.cpu.shape, 0);
    const auto gradWeight = both.floats(weight.cpu.shape, 0), gradBias = both.floats({8}, 0);
    const auto convolution = both.gpu.makeConvolution(spec);
    const auto step = [&] {
        convolution->forward(x.gpu, weight.gpu, bias.gpu, y.gpu);
        convolution->backwardParameters(x.gpu, y.gpu, gradWeight.gpu, gradBias.gpu);
        convolution->backwardInput(y.gpu, weight.gpu, gradX.gpu);
    };
    const Both::Pair* results[] = {&y, &gradX, &gradWeight, &gradBias};
    step();
    std::vector<std::vector<float>> asItIs;
    for (const auto* result : results) asItIs.push_back(both.fromGpu(result->gpu));
    const auto recorded = both.gpu.recordingDevice()->record(step);
    for (const auto* result : results) both.gpu.fill(result->gpu, 0);
    recorded->launch();
    for (std::size_t i = 0; i < asItIs.size(); ++i) CHECK(both.fromGpu(results[i]->gpu) == asItIs[i]);
}

TEST_CASE("a convolution in 16 bits stays as near to float32 as its rounding allows") {
    // Inputs and results are rounded to 8 or 11 bits; sums are float32.
    const auto [precision, bound] = GENERATE(table<cuda::Precision, double>(
        {{cuda::Precision::kBfloat16, 1.0 / 64}, {cuda::Precision::kFloat16, 1.0 / 512}}));
    Both both(with(precision));
    const double worst = ConvolutionRun(both, {8, 16, 16, 16, 3, 1, 1}, 4).worst(both);
    CHECK(worst < bound);
    CHECK(worst > 1e-6);
}

TEST_CASE("a linear layer in 16 bits stays as near to float32 as its rounding allows") {
    const auto [precision, bound] = GENERATE(table<cuda::Precision, double>(
        {{cuda::Precision::kBfloat16, 1.0 / 64}, {cuda::Precision::kFloat16, 1.0 / 512}}));
    Both both(with(precision));
    const auto x = both.floats({32, 64}, 1);
    const auto weight = both.floats({128, 64}, 2);
    const auto bias = both.floats({128}, 3);
    const auto y = both.floats({32, 128}, 0);
    both.cpu->linearForward(x.cpu, weight.cpu, bias.cpu, y.cpu);
    both.gpu.linearForward(x.gpu, weight.gpu, bias.gpu, y.gpu);
    CHECK(both.difference(y) < bound);
    CHECK(both.difference(y) > 1e-6);
}

TEST_CASE("pooling and transposing images are bit-identical on GPU and CPU") {
    Both both;
    const MaxPoolSpec spec{5, 7, 8, 2, true};
    const auto x = both.floats({3, 7, 8, 5}, 1);
    const auto y = both.floats({3, 3, 4, 5}, 0);
    const auto gradX = both.floats({3, 7, 8, 5}, 9);
    const Tensor cpuWinners = both.cpu->allocate({3, 3, 4, 5}, DType::kUInt8);
    const Tensor gpuWinners = both.gpu.allocate({3, 3, 4, 5}, DType::kUInt8);
    both.cpu->maxPoolForward(x.cpu, y.cpu, cpuWinners, spec);
    both.gpu.maxPoolForward(x.gpu, y.gpu, gpuWinners, spec);
    CHECK(both.difference(y) == 0);
    both.cpu->maxPoolBackward(y.cpu, cpuWinners, gradX.cpu, spec);
    both.gpu.maxPoolBackward(y.gpu, gpuWinners, gradX.gpu, spec);
    CHECK(both.difference(gradX) == 0);

    const auto turned = both.floats({3, 5, 7, 8}, 0);
    both.cpu->transposeSamples(x.cpu, turned.cpu, 56, 5);
    both.gpu.transposeSamples(x.gpu, turned.gpu, 56, 5);
    CHECK(both.difference(turned) == 0);
}

TEST_CASE("GELU, layer norm and Adam on the GPU equal the CPU's") {
    Both both;
    const auto x = both.floats({100, 65}, 1);
    const auto gradY = both.floats({100, 65}, 2);
    const auto weight = both.floats({65}, 3);
    const auto bias = both.floats({65}, 4);
    const auto y = both.floats({100, 65}, 0);
    const auto moments = both.floats({100, 2}, 0);
    const auto gradWeight = both.floats({65}, 0);
    const auto gradBias = both.floats({65}, 0);
    const auto run = [&](Backend& backend, auto of) {
        backend.layerNormForward(of(x), of(weight), of(bias), of(y), of(moments));
        backend.layerNormBackwardParameters(of(x), of(moments), of(gradY), of(gradWeight), of(gradBias));
        backend.layerNormBackwardInput(of(x), of(moments), of(weight), of(gradY), of(y));
        backend.geluForward(of(y), of(x));
        backend.geluBackward(of(y), of(gradY), of(x));
        backend.add(of(x), of(y));
    };
    run(*both.cpu, [](const Both::Pair& pair) { return pair.cpu; });
    run(both.gpu, [](const Both::Pair& pair) { return pair.gpu; });
    CHECK(both.difference(y) < 1e-5);
    CHECK(both.difference(gradWeight) < 1e-5);
    CHECK(both.difference(gradBias) < 1e-5);

    const auto first = both.floats({65}, 0);
    const auto second = both.floats({65}, 0);
    UpdateState start;
    start.lr = 1e-3;
    const auto state = both.updateState(start);
    const AdamRule rule{.weightDecay = 0.01, .decoupled = true};
    const UpdateRules rules{.beta1 = rule.beta1, .beta2 = rule.beta2, .decoupledDecay = rule.weightDecay};
    for (int step = 1; step <= 3; ++step) {
        both.cpu->decideUpdate({}, rules, state.cpu);
        both.gpu.decideUpdate({}, rules, state.gpu);
        both.cpu->adam(weight.cpu, bias.cpu, first.cpu, second.cpu, rule, state.cpu);
        both.gpu.adam(weight.gpu, bias.gpu, first.gpu, second.gpu, rule, state.gpu);
    }
    CHECK(both.difference(weight) == 0);
    CHECK(both.difference(second) == 0);
}
