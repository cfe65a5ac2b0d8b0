// SPDX-License-Identifier: Apache-2.0
#include "sweeps/layer_run.h"

namespace ringside {

namespace {

Doubles productOf(const Doubles& a, const Doubles& b, std::size_t rows, std::size_t inner, std::size_t columns,
                  bool transposeA, bool transposeB) {
    Doubles out(rows * columns);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            for (std::size_t k = 0; k < inner; ++k)
                out[r * columns + c] +=
                    a[transposeA ? k * rows + r : r * inner + k] * b[transposeB ? c * inner + k : k * columns + c];
    return out;
}

// Positions of the values of one head of one sequence in the queries, the keys or the values.
struct HeadPlaces {
    std::int64_t positions, heads, size;
    std::size_t qkv(std::int64_t sequence, std::int64_t head, int part, std::int64_t row, std::int64_t i) const {
        return at((sequence * positions + row) * 3 * heads * size + part * heads * size + head * size + i);
    }
    std::size_t out(std::int64_t sequence, std::int64_t head, std::int64_t row, std::int64_t i) const {
        return at((sequence * positions + row) * heads * size + head * size + i);
    }
};

// Computes one position of one head: output, and the gradients of all attended positions.
void attend(const HeadPlaces& p, std::int64_t sequence, std::int64_t head, std::int64_t row, const Doubles& x,
            const Doubles& gradY, Doubles& y, Doubles& gradX) {
    const double scale = 1 / std::sqrt(static_cast<double>(p.size));
    Doubles share(at(row + 1)), along(at(row + 1));
    double sum = 0, mean = 0;
    for (std::int64_t k = 0; k <= row; ++k) {
        double score = 0;
        for (std::int64_t i = 0; i < p.size; ++i)
            score += x[p.qkv(sequence, head, 0, row, i)] * x[p.qkv(sequence, head, 1, k, i)];
        sum += share[at(k)] = std::exp(score * scale);
    }
    for (std::int64_t k = 0; k <= row; ++k) {
        share[at(k)] /= sum;
        for (std::int64_t i = 0; i < p.size; ++i) {
            const double gradient = gradY[p.out(sequence, head, row, i)];
            y[p.out(sequence, head, row, i)] += share[at(k)] * x[p.qkv(sequence, head, 2, k, i)];
            along[at(k)] += gradient * x[p.qkv(sequence, head, 2, k, i)];
            gradX[p.qkv(sequence, head, 2, k, i)] += gradient * share[at(k)];
        }
        mean += share[at(k)] * along[at(k)];
    }
    for (std::int64_t k = 0; k <= row; ++k) {
        const double slope = share[at(k)] * (along[at(k)] - mean) * scale;
        for (std::int64_t i = 0; i < p.size; ++i) {
            gradX[p.qkv(sequence, head, 0, row, i)] += slope * x[p.qkv(sequence, head, 1, k, i)];
            gradX[p.qkv(sequence, head, 1, k, i)] += slope * x[p.qkv(sequence, head, 0, row, i)];
        }
    }
}

}  // namespace

std::optional<std::string> checkLinear(LayerRun& run, const SweepCase& c) {
    const std::int64_t rows = c.batch * c.size;
    const Tensor x = run.input({rows, c.channels}), weight = run.input({c.outChannels, c.channels});
    const Tensor bias = run.input({c.outChannels}), gradY = run.input({rows, c.outChannels});
    const Tensor y = run.output("y", gradY.shape), gradX = run.output("gradX", x.shape);
    const Tensor gradWeight = run.output("gradWeight", weight.shape), gradBias = run.output("gradBias", bias.shape);
    const auto differ = run.runTwice([&] {
        run.backend().linearForward(x, weight, bias, y);
        run.backend().linearBackwardParameters(x, gradY, gradWeight, gradBias);
        run.backend().linearBackwardInput(gradY, weight, gradX);
    });
    const Doubles xs = doublesOf(x), w = doublesOf(weight), g = doublesOf(gradY);
    Doubles out = productOf(xs, w, at(rows), at(c.channels), at(c.outChannels), false, true);
    Doubles backBias = zerosLike(bias);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] += static_cast<double>(bias.floats()[i % at(c.outChannels)]);
        backBias[i % at(c.outChannels)] += g[i];
    }
    return firstOf(
        {run.compare("y", out), run.compare("gradBias", backBias),
         run.compare("gradX", productOf(g, w, at(rows), at(c.outChannels), at(c.channels), false, false)),
         run.compare("gradWeight", productOf(g, xs, at(c.outChannels), at(rows), at(c.channels), true, false)),
         differ});
}

std::optional<std::string> checkGelu(LayerRun& run, const SweepCase& c) {
    const Shape shape{c.batch * c.size, c.channels};
    const Tensor x = run.input(shape), gradY = run.input(shape), y = run.output("y", shape);
    const Tensor gradX = run.output("gradX", shape);
    const auto differ = run.runTwice([&] {
        run.backend().geluForward(x, y);
        run.backend().geluBackward(x, gradY, gradX);
    });
    Doubles out = zerosLike(x), back = zerosLike(x);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto value = static_cast<double>(x.floats()[i]);
        const double below = std::erfc(-value / std::sqrt(2.0)) / 2;
        const double density = std::exp(-value * value / 2) / std::sqrt(2 * std::acos(-1.0));
        out[i] = value * below;
        back[i] = static_cast<double>(gradY.floats()[i]) * (below + value * density);
    }
    return firstOf({run.compare("y", out), run.compare("gradX", back), differ});
}

std::optional<std::string> checkLayerNorm(LayerRun& run, const SweepCase& c) {
    if (c.channels == 1) return std::nullopt;  // all normalised values are 0, so there is no scale for a comparison
    const Shape shape{c.batch * c.size, c.channels};
    const Tensor x = run.input(shape), gradY = run.input(shape), weight = run.input({c.channels});
    const Tensor bias = run.input({c.channels}), y = run.output("y", shape), gradX = run.output("gradX", shape);
    const Tensor moments = run.output("moments", {shape[0], 2});
    const Tensor gradWeight = run.output("gradWeight", weight.shape), gradBias = run.output("gradBias", bias.shape);
    const auto differ = run.runTwice([&] {
        run.backend().layerNormForward(x, weight, bias, y, moments);
        run.backend().layerNormBackwardParameters(x, moments, gradY, gradWeight, gradBias);
        run.backend().layerNormBackwardInput(x, moments, weight, gradY, gradX);
    });
    const Doubles xs = doublesOf(x), gs = doublesOf(gradY), w = doublesOf(weight), b = doublesOf(bias);
    Doubles out = zerosLike(x), back = zerosLike(x), backWeight = zerosLike(weight), backBias = zerosLike(bias);
    Doubles terms = zerosLike(x);
    const auto n = static_cast<double>(c.channels);
    for (std::size_t r = 0; r < at(shape[0]); ++r) {
        const std::size_t from = r * at(c.channels);
        double mean = 0, variance = 0, sum = 0, along = 0;
        for (std::size_t i = 0; i < at(c.channels); ++i) mean += xs[from + i] / n;
        for (std::size_t i = 0; i < at(c.channels); ++i) variance += std::pow(xs[from + i] - mean, 2) / n;
        const double inverse = 1 / std::sqrt(variance + kNormEpsilon);
        const auto normal = [&](std::size_t i) { return (xs[from + i] - mean) * inverse; };
        for (std::size_t i = 0; i < at(c.channels); ++i) {
            out[from + i] = normal(i) * w[i] + b[i];
            backWeight[i] += gs[from + i] * normal(i);
            backBias[i] += gs[from + i];
            sum += gs[from + i] * w[i] / n;
            along += gs[from + i] * w[i] * normal(i) / n;
        }
        for (std::size_t i = 0; i < at(c.channels); ++i) {
            terms[from + i] = inverse * gs[from + i] * w[i];
            back[from + i] = inverse * (gs[from + i] * w[i] - sum - normal(i) * along);
        }
    }
    return firstOf({run.compare("y", out), run.compare("gradWeight", backWeight), run.compare("gradBias", backBias),
                    run.compare("gradX", back, terms), differ});
}

std::optional<std::string> checkAttention(LayerRun& run, const SweepCase& c) {
    const AttentionSpec spec{c.size, 2, c.channels};
    const Tensor x = run.input({c.batch * c.size, 3 * spec.width()}),
                 gradY = run.input({c.batch * c.size, spec.width()});
    const Tensor y = run.output("y", gradY.shape), gradX = run.output("gradX", x.shape);
    const AttentionMemory memory = run.backend().attentionMemory(spec);
    const Tensor kept = run.between({c.batch, memory.kept});
    const Tensor scratch = memory.scratch > 0 ? run.between({c.batch, memory.scratch}) : Tensor{};
    const auto differ = run.runTwice([&] {
        run.backend().attentionForward(x, kept, y, spec);
        run.backend().attentionBackward(x, kept, gradY, scratch, gradX, spec);
    });
    Doubles out = zerosLike(y), back = zerosLike(x);
    const HeadPlaces places{c.size, 2, c.channels};
    for (std::int64_t i = 0; i < c.batch * 2 * c.size; ++i)
        attend(places, i / c.size / 2, i / c.size % 2, i % c.size, doublesOf(x), doublesOf(gradY), out, back);
    return firstOf({run.compare("y", out), run.compare("gradX", back), differ});
}

std::optional<std::string> checkEmbedding(LayerRun& run, const SweepCase& c) {
    constexpr std::int64_t kWords = 7;
    const std::int64_t rows = c.batch * c.size;
    const Tensor table = run.input({kWords, c.channels}), positions = run.input({c.size, c.channels});
    const Tensor gradY = run.input({rows, c.channels}), tokens = run.input({c.batch, c.size});
    for (std::int64_t i = 0; i < rows; ++i) tokens.floats()[at(i)] = static_cast<float>(i * i % kWords);
    const Tensor y = run.output("y", gradY.shape), gradTable = run.output("gradTable", table.shape);
    const Tensor gradPositions = run.output("gradPositions", positions.shape);
    const auto differ = run.runTwice([&] {
        run.backend().embeddingForward(tokens, table, y);
        run.backend().addPositions(y, positions, y);
        run.backend().embeddingBackward(tokens, gradY, gradTable);
        run.backend().positionGradient(gradY, gradPositions);
    });
    Doubles out = zerosLike(y), back = zerosLike(table), backPositions = zerosLike(positions);
    for (std::int64_t i = 0; i < y.count(); ++i) {
        const std::int64_t row = i / c.channels, column = i % c.channels, word = row * row % kWords;
        const std::size_t place = at(row % c.size * c.channels + column);
        const auto gradient = static_cast<double>(gradY.floats()[at(i)]);
        out[at(i)] = static_cast<double>(table.floats()[at(word * c.channels + column)]) +
                     static_cast<double>(positions.floats()[place]);
        back[at(word * c.channels + column)] += gradient;
        backPositions[place] += gradient;
    }
    return firstOf(
        {run.compare("y", out), run.compare("gradTable", back), run.compare("gradPositions", backPositions), differ});
}

}  // namespace ringside
