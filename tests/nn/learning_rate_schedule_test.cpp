// SPDX-License-Identifier: Apache-2.0
#include "nn/optimizers/learning_rate_schedule.h"

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;

namespace {

std::vector<double> ratesOf(const ScheduleConfig& config, std::size_t epochs) {
    LearningRateSchedule schedule(config, 0.1, static_cast<std::int64_t>(epochs));
    std::vector<double> rates;
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
        rates.push_back(schedule.learningRate());
        schedule.nextEpoch();
    }
    return rates;
}

std::vector<double> fromHex(const std::vector<std::string>& texts) {
    std::vector<double> values;
    for (const std::string& text : texts) values.push_back(std::strtod(text.c_str(), nullptr));
    return values;
}

// Learning rates of twelve epochs that start with 0.1, recorded once from PyTorch 1.13.1.
std::vector<double> goldenRates(const std::string& name) {
    static const Json json = readJsonFile(sourceFile("tests/nn/goldens_torch_1_13.json")).value();
    return fromHex(json["sched"][name].get<std::vector<std::string>>());
}

}  // namespace

TEST_CASE("a constant schedule does not change the rate") {
    CHECK(ratesOf({}, 3) == std::vector<double>{0.1, 0.1, 0.1});
}

TEST_CASE("schedules give the bits of StepLR, CosineAnnealingLR and LinearLR") {
    ScheduleConfig step;
    step.kind = RateScheduleKind::kStep;
    CHECK(ratesOf(step, 12) == goldenRates("StepLR(3,0.1)"));
    ScheduleConfig cosine;
    cosine.kind = RateScheduleKind::kCosine;
    cosine.tMax = 5;
    cosine.etaMin = 0.001;
    CHECK(ratesOf(cosine, 12) == goldenRates("CosineAnnealingLR(T_max=5,eta_min=0.001)"));
    ScheduleConfig warmUp;
    warmUp.warmupEpochs = 4;
    warmUp.warmupStart = 0.25;
    CHECK(ratesOf(warmUp, 12) == goldenRates("LinearLR(0.25,1.0,4)"));
}

TEST_CASE("a cosine without its own length ends with the training") {
    ScheduleConfig cosine;
    cosine.kind = RateScheduleKind::kCosine;
    ScheduleConfig asLong = cosine;
    asLong.tMax = 10;
    CHECK(ratesOf(cosine, 10) == ratesOf(asLong, 10));
    CHECK(ratesOf(cosine, 10)[5] == Approx(0.05));  // the middle of the half cosine wave
}

TEST_CASE("warm-up is chained with the schedule as PyTorch chains its schedulers") {
    // torch 1.13.1: LinearLR(o, 1/3, 1.0, 3).step(); CosineAnnealingLR(o, 10, 1e-4).step() after each epoch.
    ScheduleConfig cosine;
    cosine.kind = RateScheduleKind::kCosine;
    cosine.tMax = 10;
    cosine.etaMin = 1e-4;
    cosine.warmupEpochs = 3;
    CHECK(ratesOf(cosine, 12) ==
          fromHex({"0x1.1111111111111p-5", "0x1.bbfe6976833d2p-5", "0x1.2032fab36b6bap-4", "0x1.4546df507a9b2p-4",
                   "0x1.0c3d5f86f028ep-4", "0x1.9a06f9289c1f7p-5", "0x1.1b93334357ed2p-5", "0x1.5300676086112p-6",
                   "0x1.3be248ead939dp-7", "0x1.4d8e67d92ddd4p-9", "0x1.a36e2eb1c432dp-14", "0x1.4d8ade945889dp-9"}));
    // LinearLR(o, 0.25, 1.0, 2) and StepLR(o, 4, 0.5).
    ScheduleConfig step;
    step.kind = RateScheduleKind::kStep;
    step.stepSize = 4;
    step.gamma = 0.5;
    step.warmupEpochs = 2;
    step.warmupStart = 0.25;
    CHECK(ratesOf(step, 5) == fromHex({"0x1.999999999999ap-6", "0x1.0000000000000p-4", "0x1.999999999999ap-4",
                                       "0x1.999999999999ap-4", "0x1.999999999999ap-5"}));
}

TEST_CASE("a cosine repeats after twice its length, also with a length of one epoch") {
    for (const std::int64_t length : {1, 3}) {
        ScheduleConfig cosine;
        cosine.kind = RateScheduleKind::kCosine;
        cosine.tMax = length;
        cosine.etaMin = 0.01;
        const std::vector<double> rates = ratesOf(cosine, 20);
        for (std::size_t epoch = 0; epoch < rates.size(); ++epoch) {
            const double turns = static_cast<double>(epoch) / static_cast<double>(length);
            CHECK(rates[epoch] == Approx(0.01 + 0.09 * (1 + std::cos(std::numbers::pi * turns)) / 2));
        }
    }
}

TEST_CASE("a warm-up of one epoch begins at its start and ends at the rate") {
    ScheduleConfig warmUp;
    warmUp.warmupEpochs = 1;
    warmUp.warmupStart = 0.25;
    const std::vector<double> rates = ratesOf(warmUp, 3);
    CHECK(rates[0] == 0.1 * 0.25);
    CHECK(rates[1] == Approx(0.1));
    CHECK(rates[2] == rates[1]);
    ScheduleConfig step;
    step.kind = RateScheduleKind::kStep;
    step.stepSize = 1;
    step.gamma = 0.5;
    CHECK(ratesOf(step, 3) == std::vector<double>{0.1, 0.05, 0.025});
}
