// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution/onednn_convolution.h"

#include <omp.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/convolution/onednn_passes.h"
#include "backend/cpu/convolution/winograd_gradients.h"
#include "base/errors/errors.h"

namespace ringside::cpu {

namespace {

// True if Winograd's F(4x4, 3x3) on blocks of channels takes about half the time of the direct algorithm for the
// gradients of this convolution, by measurement. With 16 channels the transforms cost as much as they save, and small
// images consist mostly of incomplete tiles.
bool isWide(const ConvolutionSpec& s) {
    constexpr std::int64_t kChannels = 32, kSide = 8;
    return s.layout == ImageLayout::kChannelBlocks && s.kernel == 3 && s.stride == 1 && s.padding == 1 &&
           std::min(s.inChannels, s.outChannels) >= kChannels && std::min(s.height, s.width) >= kSide;
}

// Convolution by oneDNN, with gradients by Winograd's algorithm where it is faster.
class OneDnnConvolution final : public Convolution {
  public:
    OneDnnConvolution(const ConvolutionSpec& spec, int threads, bool winograd, Scratchpad& scratchpad)
        : m_scratchpad(scratchpad),
          m_spec(spec),
          m_threads(threads),
          m_winograd(winograd && isWide(spec)),
          m_engine(dnnl::engine::kind::cpu, 0),
          m_stream(m_engine) {
        if (winograd && WinogradGradients::isSuitable(spec)) m_gradients.emplace(spec, threads, scratchpad);
    }

    void forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) override {
        inPasses(x.rows(), [&](BatchPasses& passes) { passes.forward(m_stream, x, weight, bias, y); });
    }
    void backwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                            const Tensor& gradBias) override {
        if (m_gradients)
            return attempt(x.rows(), [&] { m_gradients->backwardParameters(x, gradY, gradWeight, gradBias); });
        inPasses(x.rows(),
                 [&](BatchPasses& passes) { passes.backwardParameters(m_stream, x, gradY, gradWeight, gradBias); });
    }
    void backwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) override {
        if (m_gradients) return attempt(gradX.rows(), [&] { m_gradients->backwardInput(gradY, weight, gradX); });
        inPasses(gradX.rows(), [&](BatchPasses& passes) { passes.backwardInput(m_stream, gradY, weight, gradX); });
    }

  private:
    template <class Action>
    void inPasses(std::int64_t batch, const Action& action) {
        // Sets OpenMP's number of threads to the number for which the primitive was made: oneDNN requires the same
        // number when the primitive runs.
        omp_set_num_threads(m_threads);
        attempt(batch, [&] { action(passesFor(batch)); });
    }

    template <class Action>
    static void attempt(std::int64_t batch, const Action& action) {
        try {
            action();
        } catch (const dnnl::error& error) {
            refuse(batch, error.what());
        } catch (const std::bad_alloc&) {
            refuse(batch, "out of memory");
        }
    }

    [[noreturn]] static void refuse(std::int64_t batch, const std::string& why) {
        throw DeviceError("oneDNN refused a convolution of " + std::to_string(batch) + " images (" + why +
                          "): lower loader.batch_size or choose a smaller model");
    }

    // Returns the forward and backward passes that were prepared for this batch size. A run has few batch sizes: that
    // of most steps, that of the last step of an epoch, and those of validation.
    BatchPasses& passesFor(std::int64_t batch) {
        for (const auto& passes : m_passes)
            if (passes->batch() == batch) return *passes;
        m_passes.push_back(std::make_unique<BatchPasses>(m_spec, batch, m_winograd, m_threads, m_engine, m_scratchpad));
        return *m_passes.back();
    }

    Scratchpad& m_scratchpad;
    ConvolutionSpec m_spec;
    int m_threads;
    bool m_winograd;
    std::optional<WinogradGradients> m_gradients;  // empty if oneDNN computes the gradients
    dnnl::engine m_engine;
    dnnl::stream m_stream;
    std::vector<std::unique_ptr<BatchPasses>> m_passes;
};

// True if oneDNN's name of this implementation contains `name`. Names are "jit_wino_4x3:avx512_core",
// "jit:avx512_core", "x64:gemm:jit", "ref:any".
template <class Plan>
bool runsBy(const Plan& plan, std::string_view name) {
    return std::string_view(plan.impl_info_str()).find(name) != std::string_view::npos;
}

bool isFast(const Plans& plans) {
    return runsBy(plans.forward, "avx512") && runsBy(plans.weights, "avx512");
}

}  // namespace

bool prefersChannelBlocks(std::span<const ConvolutionSpec> convolutions, int threads) {
    constexpr dnnl::memory::dim kAnyBatch = 32;
    omp_set_num_threads(threads);
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return std::all_of(convolutions.begin(), convolutions.end(), [&](const ConvolutionSpec& spec) {
        try {
            return isFast(Plans(engine, spec, kAnyBatch, false));
        } catch (const dnnl::error&) {
            return false;
        }
    });
}

std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec, int threads, bool winograd,
                                             Scratchpad& scratchpad) {
    return std::make_unique<OneDnnConvolution>(spec, threads, winograd, scratchpad);
}

}  // namespace ringside::cpu
