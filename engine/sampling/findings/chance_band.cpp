// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/chance_band.h"

#include <algorithm>
#include <cmath>

namespace ringside {
namespace {

constexpr double kNormal95 = 1.959963984540054;  // two-sided 95 % point of the normal distribution
constexpr double kNegligible = 1e-17;            // a sum is complete when its next term is below this share of the sum

double logFactorial(std::int64_t x) {
    return std::lgamma(static_cast<double>(x) + 1);
}

double logChoose(std::int64_t n, std::int64_t k) {
    return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

// Returns the probability of `count` or a count further from the mean in `direction` (+1 or -1). Computes each term
// from the previous one: p(k + 1) / p(k) = (K - k)(d - k) / ((k + 1)(n - K - d + k + 1)), with n = population, K =
// ofClass and d = drawn.
double tail(std::int64_t population, std::int64_t ofClass, std::int64_t drawn, std::int64_t count, int direction) {
    const std::int64_t least = std::max<std::int64_t>(0, drawn - (population - ofClass)),
                       most = std::min(ofClass, drawn);
    if (count < least || count > most) return 0;
    double term = std::exp(logChoose(ofClass, count) + logChoose(population - ofClass, drawn - count) -
                           logChoose(population, drawn));
    double sum = 0;
    for (std::int64_t k = count; k >= least && k <= most && term > kNegligible * sum; k += direction) {
        sum += term;
        const std::int64_t lower = direction > 0 ? k : k - 1;
        const double up = static_cast<double>(ofClass - lower) * static_cast<double>(drawn - lower);
        const double down =
            static_cast<double>(lower + 1) * static_cast<double>(population - ofClass - drawn + lower + 1);
        term *= direction > 0 ? up / down : down / up;
    }
    return sum;
}

}  // namespace

ChanceBand chanceBand(std::int64_t population, std::int64_t ofClass, std::int64_t drawn) {
    if (population < 1) return {};
    const auto total = static_cast<double>(population);
    const double share = static_cast<double>(ofClass) / total;
    const double taken = std::min(static_cast<double>(drawn), total);
    const double left = population > 1 ? (total - taken) / (total - 1) : 0;
    const double variance = taken * share * (1 - share) * left;
    const double spread = kNormal95 * std::sqrt(variance);
    const double expected = taken * share;
    return {expected, std::max(0.0, expected - spread), expected + spread, variance};
}

bool isOutside(std::int64_t count, const ChanceBand& band) {
    const auto own = static_cast<double>(count);
    return own < std::floor(band.low) || own > std::ceil(band.high);
}

double probabilityOutsideBand(std::int64_t population, std::int64_t ofClass, std::int64_t drawn) {
    if (population < 1) return 0;
    const ChanceBand band = chanceBand(population, ofClass, drawn);
    const std::int64_t taken = std::min(drawn, population);
    return tail(population, ofClass, taken, static_cast<std::int64_t>(std::floor(band.low)) - 1, -1) +
           tail(population, ofClass, taken, static_cast<std::int64_t>(std::ceil(band.high)) + 1, +1);
}

}  // namespace ringside
