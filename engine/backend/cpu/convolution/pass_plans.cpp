// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution/pass_plans.h"

#include <string_view>

namespace ringside::cpu {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;

Tag orderOf(ImageLayout layout, memory::dim channels) {
    if (layout == ImageLayout::kChannelsLast) return Tag::nhwc;
    if (channels % kChannelBlock == 0) return Tag::nChw16c;
    // With one channel, oneDNN chooses the layout: oneDNN 2.6 detects nchw with one channel as nhwc and then finds no
    // implementation.
    return channels == 1 ? Tag::any : Tag::nchw;
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

// Makes the primitive descriptor of a gradient. Uses Winograd's algorithm if `winograd` is true and oneDNN has the
// algorithm for this CPU, otherwise the direct algorithm.
template <class MakePlan>
auto gradientPlan(bool winograd, const MakePlan& makePlan) {
    try {
        return makePlan(winograd ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct);
    } catch (const dnnl::error&) {  // Winograd needs AVX-512 and is absent from oneDNN 3
        return makePlan(dnnl::algorithm::convolution_direct);
    }
}

// True if an implementation writes outside its scratchpad. oneDNN 2.6's 1x1 primitive for AVX2 first gathers every
// stride-th pixel. For channels-last images whose number of channels is no multiple of 8, the primitive writes past its
// part of the scratchpad: into the part of another thread or behind the end.
bool overruns(std::string_view name, const ConvolutionSpec& s) {
    constexpr std::int64_t kVector = 8;
    return name.find("jit_1x1:avx2") != std::string_view::npos && s.stride > 1 && s.inChannels % kVector != 0;
}

// True if the layout chosen for x contains no padding, which a layout with blocks of channels could add.
bool fits(const dnnl::primitive_desc_base& plan, const ConvolutionSpec& s, memory::dim batch) {
    const auto bytes = static_cast<std::size_t>(batch * s.inChannels * s.height * s.width) * sizeof(float);
    return plan.query_md(dnnl::query::src_md).get_size() == bytes;
}

}  // namespace

Plans::Plans(const dnnl::engine& engine, const ConvolutionSpec& spec, memory::dim batch, bool winograd)
    : shapes(describe(spec, batch)),
      trusts([spec](const auto& plan) { return !overruns(plan.impl_info_str(), spec); }),
      forward(forwardPlan(engine, shapes, dnnl::algorithm::convolution_direct,
                          [&](const auto& plan) { return trusts(plan) && fits(plan, spec, batch); })),
      weights(gradientPlan(
          winograd, [&](auto algorithm) { return weightsPlan(engine, resolvedShapes(), algorithm, forward, trusts); })),
      data(gradientPlan(
          winograd, [&](auto algorithm) { return dataPlan(engine, resolvedShapes(), algorithm, forward, trusts); })) {}

const ConvolutionShapes& Plans::resolvedShapes() {
    shapes.x = forward.src_desc();
    return shapes;
}

}  // namespace ringside::cpu
