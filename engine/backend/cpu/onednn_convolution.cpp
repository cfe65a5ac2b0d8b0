// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn_convolution.h"

#include <omp.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/onednn_plans.h"
#include "base/errors.h"

namespace ringside::cpu {

namespace {

using dnnl::memory;
using Arguments = std::vector<dnnl_exec_arg_t>;

// With arguments put together once: dnnl::primitive::execute() would make a list of them at each run.
void run(const dnnl::primitive& primitive, const dnnl::stream& stream, const Arguments& arguments) {
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()), arguments.data()),
        "a primitive did not run");
}

using Tag = memory::format_tag;

Tag orderOf(ImageLayout layout, memory::dim channels) {
    if (layout == ImageLayout::kChannelsLast) return Tag::nhwc;
    if (channels % kChannelBlock == 0) return Tag::nChw16c;
    return channels == 1 ? Tag::any : Tag::nchw;  // oneDNN 2.6 takes nchw of one channel for nhwc and finds nothing
}

ConvolutionShapes describe(const ConvolutionSpec& s, memory::dim batch) {
    constexpr auto kFloat = memory::data_type::f32;
    return {{{batch, s.inChannels, s.height, s.width}, kFloat, orderOf(s.layout, s.inChannels)},
            {{s.outChannels, s.inChannels, s.kernel, s.kernel}, kFloat, Tag::any},
            s.bias ? memory::desc{{s.outChannels}, kFloat, Tag::a} : memory::desc{},
            {{batch, s.outChannels, s.outHeight(), s.outWidth()}, kFloat, orderOf(s.layout, s.outChannels)},
            {s.stride, s.stride},
            {s.padding, s.padding}};
}

// Where blocks of channels are faster, and Winograd's F(4x4, 3x3) takes about half the time, as measured: at 16
// channels its transforms cost what it saves, and small images are mostly the edges of its tiles.
bool isWide(const ConvolutionSpec& s) {
    constexpr std::int64_t kChannels = 32, kSide = 8;
    return s.layout == ImageLayout::kChannelBlocks && s.kernel == 3 && s.stride == 1 && s.padding == 1 &&
           std::min(s.inChannels, s.outChannels) >= kChannels && std::min(s.height, s.width) >= kSide;
}

// By Winograd's algorithm where that is wanted and this oneDNN has it.
template <class MakePlan>
auto gradientPlan(bool winograd, const MakePlan& makePlan) {
    try {
        return makePlan(winograd ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct);
    } catch (const dnnl::error&) {  // not before AVX-512, and no more in oneDNN 3
        return makePlan(dnnl::algorithm::convolution_direct);
    }
}

// The forward pass is always direct: its rounding decides on which side of a ReLU a value falls and which of a window
// is the largest, and Winograd's rounds three times as far. The gradients decide nothing.
struct Plans {
    Plans(const dnnl::engine& engine, const ConvolutionSpec& spec, memory::dim batch, bool winograd)
        : shapes(describe(spec, batch)),
          forward(forwardPlan(engine, shapes, dnnl::algorithm::convolution_direct)),
          weights(gradientPlan(winograd,
                               [&](auto algorithm) { return weightsPlan(engine, settled(), algorithm, forward); })),
          data(gradientPlan(winograd,
                            [&](auto algorithm) { return dataPlan(engine, settled(), algorithm, forward); })) {}

    // The order of x that was left open is the one of the forward pass.
    const ConvolutionShapes& settled() {
        shapes.x = forward.src_desc();
        return shapes;
    }

    ConvolutionShapes shapes;
    ForwardPlan forward;
    WeightsPlan weights;
    DataPlan data;
};

// Memory of the caller, pointed at before each use.
memory borrowed(const memory::desc& description, const dnnl::engine& engine) {
    return memory(description, engine, DNNL_MEMORY_NONE);
}

// The three passes for one batch size.
class BatchPasses {
  public:
    BatchPasses(const ConvolutionSpec& spec, memory::dim batch, bool winograd, const dnnl::engine& engine)
        : m_batch(batch),
          m_plans(engine, spec, batch, winograd),
          m_x(borrowed(m_plans.shapes.x, engine)),
          m_y(borrowed(m_plans.shapes.y, engine)),
          m_bias(spec.bias ? borrowed(m_plans.shapes.bias, engine) : memory()),
          m_weight(borrowed(
              {{spec.outChannels, spec.inChannels, spec.kernel, spec.kernel}, memory::data_type::f32, Tag::oihw},
              engine)),
          m_forwardWeight(m_plans.forward.weights_desc(), engine),
          m_gradWeight(m_plans.weights.diff_weights_desc(), engine),
          m_dataWeight(m_plans.data.weights_desc(), engine),
          m_forward(m_plans.forward),
          m_weights(m_plans.weights),
          m_data(m_plans.data),
          m_packForward(m_weight, m_forwardWeight),
          m_packData(m_weight, m_dataWeight),
          m_unpackGradient(m_gradWeight, m_weight),
          m_packForwardArguments{{DNNL_ARG_FROM, m_weight.get()}, {DNNL_ARG_TO, m_forwardWeight.get()}},
          m_packDataArguments{{DNNL_ARG_FROM, m_weight.get()}, {DNNL_ARG_TO, m_dataWeight.get()}},
          m_unpackArguments{{DNNL_ARG_FROM, m_gradWeight.get()}, {DNNL_ARG_TO, m_weight.get()}},
          m_forwardArguments{
              {DNNL_ARG_SRC, m_x.get()}, {DNNL_ARG_WEIGHTS, m_forwardWeight.get()}, {DNNL_ARG_DST, m_y.get()}},
          m_weightsArguments{
              {DNNL_ARG_SRC, m_x.get()}, {DNNL_ARG_DIFF_DST, m_y.get()}, {DNNL_ARG_DIFF_WEIGHTS, m_gradWeight.get()}},
          m_dataArguments{
              {DNNL_ARG_DIFF_DST, m_y.get()}, {DNNL_ARG_WEIGHTS, m_dataWeight.get()}, {DNNL_ARG_DIFF_SRC, m_x.get()}} {
        if (!spec.bias) return;
        m_forwardArguments.push_back({DNNL_ARG_BIAS, m_bias.get()});
        m_weightsArguments.push_back({DNNL_ARG_DIFF_BIAS, m_bias.get()});
    }

    memory::dim batch() const { return m_batch; }

    void forward(dnnl::stream& stream, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) {
        m_weight.set_data_handle(weight.data);
        if (bias) m_bias.set_data_handle(bias.data);
        m_x.set_data_handle(x.data);
        m_y.set_data_handle(y.data);
        run(m_packForward, stream, m_packForwardArguments);
        run(m_forward, stream, m_forwardArguments);
        stream.wait();
    }

    void backwardParameters(dnnl::stream& stream, const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                            const Tensor& gradBias) {
        m_x.set_data_handle(x.data);
        m_y.set_data_handle(gradY.data);
        m_weight.set_data_handle(gradWeight.data);
        if (gradBias) m_bias.set_data_handle(gradBias.data);
        run(m_weights, stream, m_weightsArguments);
        run(m_unpackGradient, stream, m_unpackArguments);
        stream.wait();
    }

    void backwardInput(dnnl::stream& stream, const Tensor& gradY, const Tensor& weight, const Tensor& gradX) {
        m_y.set_data_handle(gradY.data);
        m_weight.set_data_handle(weight.data);
        m_x.set_data_handle(gradX.data);
        run(m_packData, stream, m_packDataArguments);
        run(m_data, stream, m_dataArguments);
        stream.wait();
    }

  private:
    memory::dim m_batch;
    Plans m_plans;
    memory m_x, m_y, m_bias, m_weight;                   // the caller's, or their gradients
    memory m_forwardWeight, m_gradWeight, m_dataWeight;  // in the order that each pass likes
    dnnl::convolution_forward m_forward;
    dnnl::convolution_backward_weights m_weights;
    dnnl::convolution_backward_data m_data;
    dnnl::reorder m_packForward, m_packData, m_unpackGradient;
    Arguments m_packForwardArguments, m_packDataArguments, m_unpackArguments;
    Arguments m_forwardArguments, m_weightsArguments, m_dataArguments;
};

class OneDnnConvolution final : public Convolution {
  public:
    OneDnnConvolution(const ConvolutionSpec& spec, int threads, bool winograd)
        : m_spec(spec),
          m_threads(threads),
          m_winograd(winograd && isWide(spec)),
          m_engine(dnnl::engine::kind::cpu, 0),
          m_stream(m_engine) {}

    void forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) override {
        inPasses(x.rows(), [&](BatchPasses& passes) { passes.forward(m_stream, x, weight, bias, y); });
    }
    void backwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                            const Tensor& gradBias) override {
        inPasses(x.rows(),
                 [&](BatchPasses& passes) { passes.backwardParameters(m_stream, x, gradY, gradWeight, gradBias); });
    }
    void backwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) override {
        inPasses(gradX.rows(), [&](BatchPasses& passes) { passes.backwardInput(m_stream, gradY, weight, gradX); });
    }

  private:
    template <class Action>
    void inPasses(std::int64_t batch, const Action& action) {
        omp_set_num_threads(m_threads);  // as many when a primitive runs as when it was made
        try {
            action(passesFor(batch));
        } catch (const dnnl::error& error) {
            throw DeviceError("oneDNN refused a convolution of " + std::to_string(batch) + " images (" + error.what() +
                              "): lower loader.batch_size or choose a smaller model");
        }
    }

    // A run has few batch sizes: the usual one, the last of an epoch, and those of validation.
    BatchPasses& passesFor(std::int64_t batch) {
        for (const auto& passes : m_passes)
            if (passes->batch() == batch) return *passes;
        m_passes.push_back(std::make_unique<BatchPasses>(m_spec, batch, m_winograd, m_engine));
        return *m_passes.back();
    }

    ConvolutionSpec m_spec;
    int m_threads;
    bool m_winograd;
    dnnl::engine m_engine;
    dnnl::stream m_stream;
    std::vector<std::unique_ptr<BatchPasses>> m_passes;
};

// Whether oneDNN calls this implementation so: "jit_wino_4x3:avx512_core", "jit:avx512_core", "x64:gemm:jit",
// "ref:any".
template <class Plan>
bool runsBy(const Plan& plan, std::string_view name) {
    return std::string_view(plan.impl_info_str()).find(name) != std::string_view::npos;
}

bool isFast(const Plans& plans) {
    return runsBy(plans.forward, "avx512") && runsBy(plans.weights, "avx512");
}

}  // namespace

bool prefersChannelBlocks(std::span<const ConvolutionSpec> convolutions, int threads) {
    constexpr memory::dim kAnyBatch = 32;
    if (std::none_of(convolutions.begin(), convolutions.end(), isWide)) return false;
    omp_set_num_threads(threads);
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return std::all_of(convolutions.begin(), convolutions.end(), [&](const ConvolutionSpec& spec) {
        try {
            return spec.outChannels % kChannelBlock == 0 && isFast(Plans(engine, spec, kAnyBatch, false));
        } catch (const dnnl::error&) {
            return false;
        }
    });
}

std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec, int threads, bool winograd) {
    return std::make_unique<OneDnnConvolution>(spec, threads, winograd);
}

}  // namespace ringside::cpu
