// SPDX-License-Identifier: Apache-2.0
#include "sweeps/layer_run.h"

namespace ringside {

namespace {

// Images and their layout in memory.
struct SweptImages {
    std::int64_t images, channels, height, width;
    bool blocks;

    Shape shape() const { return {images, height, width, channels}; }
    std::size_t place(std::int64_t image, std::int64_t c, std::int64_t y, std::int64_t x) const {
        std::int64_t group = 1;  // number of adjacent channels in memory; 1 if the channels do not fill whole blocks
        if (!blocks) group = channels;
        if (blocks && channels % kChannelBlock == 0) group = kChannelBlock;
        const std::int64_t plane = image * (channels / group) + c / group;
        return at(((plane * height + y) * width + x) * group + c % group);
    }
};

// Calls visit(position in x, position in the weight, position in y) for every product of the formula.
template <class Visit>
void forEachProduct(const ConvolutionSpec& s, const SweptImages& in, const SweptImages& out, const Visit& visit) {
    for (std::int64_t i = 0; i < out.images * out.channels * out.height * out.width; ++i) {
        const std::int64_t column = i % out.width, row = i / out.width % out.height;
        const std::int64_t channel = i / (out.width * out.height) % out.channels;
        const std::int64_t image = i / (out.width * out.height * out.channels);
        const std::size_t to = out.place(image, channel, row, column);
        for (std::int64_t w = 0; w < s.inChannels * s.kernel * s.kernel; ++w) {
            const std::int64_t y = row * s.stride - s.padding + w / s.kernel % s.kernel;
            const std::int64_t x = column * s.stride - s.padding + w % s.kernel;
            if (y < 0 || y >= s.height || x < 0 || x >= s.width) continue;
            visit(in.place(image, w / (s.kernel * s.kernel), y, x),
                  at(channel * s.inChannels * s.kernel * s.kernel + w), to);
        }
    }
}

}  // namespace

std::optional<std::string> checkConvolution(LayerRun& run, const SweepCase& c) {
    const ConvolutionSpec spec{
        c.channels,    c.size,   c.width(),
        c.outChannels, c.kernel, c.stride,
        c.padding,     c.bias,   c.blocks ? ImageLayout::kChannelBlocks : ImageLayout::kChannelsLast};
    const SweptImages in{c.batch, c.channels, c.size, c.width(), c.blocks};
    const SweptImages out{c.batch, c.outChannels, spec.outHeight(), spec.outWidth(), c.blocks};
    const Tensor x = run.input(in.shape()), weight = run.input({c.outChannels, c.channels, c.kernel, c.kernel});
    const Tensor bias = c.bias ? run.input({c.outChannels}) : Tensor{}, gradY = run.input(out.shape());
    const Tensor y = run.output("y", out.shape()), gradX = run.output("gradX", in.shape());
    const Tensor gradWeight = run.output("gradWeight", weight.shape);
    const Tensor gradBias = c.bias ? run.output("gradBias", {c.outChannels}) : Tensor{};
    const auto convolution = run.backend().makeConvolution(spec);
    const auto differ = run.runTwice([&] {
        convolution->forward(x, weight, bias, y);
        convolution->backwardParameters(x, gradY, gradWeight, gradBias);
        convolution->backwardInput(gradY, weight, gradX);
    });
    Doubles sums = zerosLike(y), backX = zerosLike(x), backWeight = zerosLike(weight);
    const Doubles xs = doublesOf(x), weights = doublesOf(weight), gradients = doublesOf(gradY);
    forEachProduct(spec, in, out, [&](std::size_t from, std::size_t w, std::size_t to) {
        sums[to] += xs[from] * weights[w];
        backX[from] += gradients[to] * weights[w];
        backWeight[w] += gradients[to] * xs[from];
    });
    Doubles backBias(at(c.outChannels));
    for (std::int64_t i = 0; i < y.count(); ++i) {
        const std::int64_t pixel = i / out.channels, channel = i % out.channels;
        const std::size_t place =
            out.place(pixel / (out.width * out.height), channel, pixel / out.width % out.height, pixel % out.width);
        if (c.bias) sums[place] += static_cast<double>(bias.floats()[at(channel)]);
        backBias[at(channel)] += gradients[place];
    }
    return firstOf({run.compare("y", sums), run.compare("gradX", backX), run.compare("gradWeight", backWeight),
                    c.bias ? run.compare("gradBias", backBias) : std::nullopt, differ});
}

}  // namespace ringside
