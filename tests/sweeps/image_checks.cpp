// SPDX-License-Identifier: Apache-2.0
#include "sweeps/layer_run.h"

namespace ringside {

namespace {

Shape imageShape(const SweepCase& c) {
    return {c.batch, c.size, c.width(), c.channels};
}

struct ChannelSums {
    explicit ChannelSums(std::int64_t channels) : mean(at(channels)), inverse(at(channels)) {}
    Doubles mean, inverse;
};

ChannelSums statisticsOf(const Doubles& x, std::int64_t channels) {
    ChannelSums sums(channels);
    const auto rows = static_cast<double>(x.size() / at(channels));
    for (std::size_t i = 0; i < x.size(); ++i) sums.mean[i % at(channels)] += x[i] / rows;
    Doubles variance(at(channels));
    for (std::size_t i = 0; i < x.size(); ++i)
        variance[i % at(channels)] += std::pow(x[i] - sums.mean[i % at(channels)], 2) / rows;
    for (std::size_t c = 0; c < variance.size(); ++c) sums.inverse[c] = 1 / std::sqrt(variance[c] + kNormEpsilon);
    return sums;
}

}  // namespace

std::optional<std::string> checkBatchNorm(LayerRun& run, const SweepCase& c) {
    const Shape channels{c.channels};
    const Tensor x = run.input(imageShape(c)), weight = run.input(channels), bias = run.input(channels);
    const Tensor gradY = run.input(x.shape), y = run.output("y", x.shape), gradX = run.output("gradX", x.shape);
    const Tensor gradWeight = run.output("gradWeight", channels), gradBias = run.output("gradBias", channels);
    const Tensor moments = run.output("moments", {2, c.channels}), mean = run.between(channels);
    const Tensor variance = run.between(channels);
    const auto differ = run.runTwice([&] {
        run.backend().batchNormForward(x, weight, bias, mean, variance, y, moments);
        run.backend().batchNormBackwardParameters(x, moments, gradY, gradWeight, gradBias);
        run.backend().batchNormBackwardInput(x, moments, weight, gradWeight, gradBias, gradY, gradX);
    });
    const Doubles xs = doublesOf(x), gs = doublesOf(gradY), w = doublesOf(weight), b = doublesOf(bias);
    const ChannelSums s = statisticsOf(xs, c.channels);
    Doubles out = zerosLike(x), back = zerosLike(x), backWeight = zerosLike(weight), backBias = zerosLike(bias);
    const auto channel = [&](std::size_t i) { return i % at(c.channels); };
    const auto normal = [&](std::size_t i) { return (xs[i] - s.mean[channel(i)]) * s.inverse[channel(i)]; };
    for (std::size_t i = 0; i < xs.size(); ++i) {
        out[i] = normal(i) * w[channel(i)] + b[channel(i)];
        backWeight[channel(i)] += gs[i] * normal(i);
        backBias[channel(i)] += gs[i];
    }
    const auto n = static_cast<double>(xs.size() / at(c.channels));
    for (std::size_t i = 0; i < xs.size(); ++i)
        back[i] = w[channel(i)] * s.inverse[channel(i)] *
                  (gs[i] - backBias[channel(i)] / n - normal(i) * backWeight[channel(i)] / n);
    return firstOf({run.compare("y", out), run.compare("gradWeight", backWeight), run.compare("gradBias", backBias),
                    run.compare("gradX", back), differ});
}

std::optional<std::string> checkMaxPool(LayerRun& run, const SweepCase& c) {
    const MaxPoolSpec spec{c.channels, c.size, c.width(), c.kernel};
    const Shape pooled{c.batch, c.size / c.kernel, c.width() / c.kernel, c.channels};
    if (pooled.count() == 0) return std::nullopt;
    const Tensor x = run.input(imageShape(c)), gradY = run.input(pooled), y = run.output("y", pooled);
    const Tensor gradX = run.output("gradX", x.shape), winners = run.between(pooled, DType::kUInt8);
    const auto differ = run.runTwice([&] {
        run.backend().maxPoolForward(x, y, winners, spec);
        run.backend().maxPoolBackward(gradY, winners, gradX, spec);
    });
    const Doubles xs = doublesOf(x);
    Doubles out = zerosLike(y), back = zerosLike(x);
    for (std::int64_t o = 0; o < y.count(); ++o) {
        const std::int64_t channel = o % c.channels, column = o / c.channels % pooled[2];
        const std::int64_t row = o / c.channels / pooled[2] % pooled[1], image = o / pooled.countPerRow();
        std::size_t best = 0;
        for (std::int64_t i = 0; i < c.kernel * c.kernel; ++i) {
            const std::int64_t fromRow = row * c.kernel + i / c.kernel, from = column * c.kernel + i % c.kernel;
            const std::size_t place = at(((image * c.size + fromRow) * c.width() + from) * c.channels + channel);
            if (i == 0 || xs[place] > xs[best]) best = place;
        }
        out[at(o)] = xs[best];
        back[best] = static_cast<double>(gradY.floats()[at(o)]);
    }
    return firstOf({run.compare("y", out), run.compare("gradX", back), differ});
}

std::optional<std::string> checkAveragePool(LayerRun& run, const SweepCase& c) {
    const Shape pooled{c.batch, c.channels};
    const Tensor x = run.input(imageShape(c)), gradY = run.input(pooled), y = run.output("y", pooled);
    const Tensor gradX = run.output("gradX", x.shape);
    const auto differ = run.runTwice([&] {
        run.backend().averagePoolForward(x, y);
        run.backend().averagePoolBackward(gradY, gradX);
    });
    const Doubles xs = doublesOf(x), gs = doublesOf(gradY);
    Doubles out = zerosLike(y), back = zerosLike(x);
    const auto pixels = static_cast<double>(c.size * c.width());
    for (std::size_t i = 0; i < xs.size(); ++i) {
        const std::size_t to = i / at(c.size * c.width() * c.channels) * at(c.channels) + i % at(c.channels);
        out[to] += xs[i] / pixels;
        back[i] = gs[to] / pixels;
    }
    return firstOf({run.compare("y", out), run.compare("gradX", back), differ});
}

}  // namespace ringside
