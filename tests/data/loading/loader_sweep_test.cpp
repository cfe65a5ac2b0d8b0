// SPDX-License-Identifier: Apache-2.0
#include "data/loading/loader_sweep.h"

#include <memory>

#include "data/loading/numbered_images.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

LoaderRate rateOf(std::int64_t workers, std::int64_t samples) {
    return {.numWorkers = workers, .samples = samples, .batches = samples / 10, .seconds = 2};
}

// Clock that advances by a millisecond at every call.
class TickingClock final : public Clock {
  public:
    TimePoint now() const override { return m_now += std::chrono::milliseconds(1); }

  private:
    mutable TimePoint m_now;
};

}  // namespace

TEST_CASE("rates of several ranks are added, and their waits are averaged") {
    const LoaderRate four{.numWorkers = 2, .ranks = 4, .samples = 800, .batches = 80, .seconds = 2};
    CHECK(four.samplesPerSecond() == 400);
    CHECK(four.loadMsPerBatch() == 100);  // 20 batches of each in 2 s
    CHECK(adviseWorkers(std::vector{four}, 2).text == "2 workers per rank: 400 samples/s of 4 ranks");
}

TEST_CASE("a sweep loads for all ranks at once") {
    const auto images = std::make_shared<NumberedImages>(50, kSmallImage);
    const DataSplit data{images, nullptr, {}};
    RunConfig config;
    config.parallel.worldSize = 3;
    config.loader.batchSize = 5;
    const SteadyClock clock;
    const LoaderSweep sweep(config, data, clock);
    const LoaderRate rate = sweep.measure(1, std::chrono::duration<double>(0.01));
    CHECK(rate.ranks == 3);
    CHECK(rate.batches >= 3);
    CHECK(rate.samples > 0);
    CHECK(rate.seconds >= 0.01);

    config.parallel.worldSize = 64;
    CHECK(LoaderSweep(config, data, clock).ranks() == 16);
}

TEST_CASE("a rate is samples over seconds, a wait is seconds over batches") {
    CHECK(rateOf(1, 1000).samplesPerSecond() == 500);
    CHECK(rateOf(1, 1000).loadMsPerBatch() == 20);
    CHECK(LoaderRate().samplesPerSecond() == 0);
    CHECK(LoaderRate().loadMsPerBatch() == 0);
}

TEST_CASE("the advice is the smallest number of workers that is nearly as fast as the best") {
    const LoaderAdvice advice = adviseWorkers(
        std::vector{rateOf(0, 19368), rateOf(1, 20000), rateOf(2, 36800), rateOf(4, 37000), rateOf(8, 30000)}, 2);
    CHECK(advice.numWorkers == 2);
    CHECK(advice.text ==
          "2 workers: 18,400 samples/s, 1.9 times as many samples/s as with 0 workers; more workers are not faster on "
          "2 CPUs");
}

TEST_CASE("workers without a gain are not advised") {
    const LoaderAdvice advice = adviseWorkers(std::vector{rateOf(0, 2000), rateOf(1, 2080), rateOf(2, 1500)}, 1);
    CHECK(advice.numWorkers == 0);
    CHECK(advice.text == "0 workers: 1,000 samples/s; more workers are not faster on 1 CPU");
}

TEST_CASE("the advice names the largest number that was tried") {
    const LoaderAdvice advice = adviseWorkers(std::vector{rateOf(1, 200), rateOf(4, 800)}, 64);
    CHECK(advice.numWorkers == 4);
    CHECK(advice.text ==
          "4 workers: 400 samples/s, 4.0 times as many samples/s as with 1 worker; more than 4 workers were not tried");
    CHECK(adviseWorkers(std::vector{rateOf(3, 200)}, 64).text == "3 workers: 100 samples/s");
}

TEST_CASE("a sweep loads for the given time, epoch after epoch, without counting the first batch") {
    const auto images = std::make_shared<NumberedImages>(50, kSmallImage);
    const DataSplit data{images, nullptr, {}};
    RunConfig config;
    config.parallel.worldSize = 1;
    config.loader.batchSize = 20;  // batches of 20, 20 and 10
    config.loader.normalize = true;
    const TickingClock clock;
    const LoaderSweep sweep(config, data, clock);
    for (const std::int64_t workers : {0, 2}) {
        const LoaderRate rate = sweep.measure(workers, std::chrono::duration<double>(0.0055));
        CHECK(rate.numWorkers == workers);
        CHECK(rate.batches == 6);  // batches of 20, 10, 20, 20, 10 and 20 samples: one batch per millisecond
        CHECK(rate.samples == 100);
        CHECK(rate.seconds == Approx(0.006));
    }
}
