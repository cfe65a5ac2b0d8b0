// SPDX-License-Identifier: Apache-2.0
#include "train/observe/index_report.h"

#include "sampling/plan/epoch_spec.h"
#include "support/catch.h"
#include "support/wrong_index_text.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

// Observer with an adjustable time.
class ClockedObserver final : public TrainerObserver {
  public:
    void onStep(const StepRecord&) override {}
    void onEvent(Event event) override { reported.push_back(std::get<ConsumedIndices>(event)); }
    void onTrace(const StepTrace&) override {}
    void onState(RankStage) override {}
    std::int64_t nowUs() const override { return now; }
    Progress& progress() override { return m_progress; }

    std::int64_t now = 0;
    std::vector<ConsumedIndices> reported;

  private:
    Progress m_progress;
};

std::vector<std::int64_t> some(std::size_t count) {
    return std::vector<std::int64_t>(count, 7);
}

}  // namespace

TEST_CASE("samples are reported after steps of 20 ms and more, not after faster ones") {
    ClockedObserver observer;
    IndexReport report(SampleReport::kAuto, 2, observer);
    observer.now = 20'000;
    report.reportIndices(1, 13, 32, std::vector<std::int64_t>{88, 9});
    REQUIRE(observer.reported.size() == 1);
    CHECK(observer.reported[0].rank == 2);
    CHECK(observer.reported[0].epoch == 1);
    CHECK(observer.reported[0].step == 13);
    CHECK(observer.reported[0].slot == 32);
    CHECK(observer.reported[0].index == std::vector<std::int64_t>{88, 9});
    observer.now += 19'999;
    report.reportIndices(1, 14, 34, some(2));
    CHECK(observer.reported.size() == 1);
    observer.now += 20'000;
    report.reportIndices(1, 15, 36, some(2));
    CHECK(observer.reported.size() == 2);
}

TEST_CASE("a large batch needs 5 us per sample and is split into lines") {
    ClockedObserver observer;
    IndexReport report(SampleReport::kAuto, 0, observer);
    observer.now = 499'999;
    report.reportIndices(0, 1, 0, some(100'000));
    CHECK(observer.reported.empty());
    observer.now += 500'000;
    report.reportIndices(0, 2, 100'000, some(100'000));
    REQUIRE(observer.reported.size() == 2);
    CHECK(observer.reported[0].index.size() == 65'536);
    CHECK(observer.reported[1].slot == 165'536);
    CHECK(observer.reported[1].index.size() == 34'464);
}

TEST_CASE("a run reports at most 4,194,304 samples of a rank by default") {
    ClockedObserver observer;
    IndexReport report(SampleReport::kAuto, 0, observer);
    for (int step = 1; step <= 100; ++step) {
        observer.now += 1'000'000;
        report.reportIndices(0, step, 0, some(100'000));
    }
    std::size_t sent = 0;
    for (const ConsumedIndices& one : observer.reported) sent += one.index.size();
    CHECK(sent == 4'100'000);
}

TEST_CASE("always and never do not depend on step times") {
    ClockedObserver observer;
    IndexReport(SampleReport::kNever, 0, observer).reportIndices(0, 1, 0, some(3));
    CHECK(observer.reported.empty());
    IndexReport(SampleReport::kAlways, 0, observer).reportIndices(0, 1, 0, some(3));
    CHECK(observer.reported.size() == 1);
}

TEST_CASE("reported samples equal the plan slot by slot") {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = 2;
    config.training.accumulateSteps = 3;
    const DataSplit data = loadDataset(config.dataset).value();
    const auto ranks =
        trainAsThreads(config, data, {.runDirectory = {}, .stopAfter = {}, .reportSamples = SampleReport::kAlways});
    for (int rank = 0; rank < 2; ++rank) {
        std::size_t reported = 0;
        for (const ConsumedIndices& one : ranks[static_cast<std::size_t>(rank)].all<ConsumedIndices>()) {
            const auto planned = ShardPlan::make(epochSpec(config, data.training, one.epoch)).value().indices(rank);
            REQUIRE(one.slot + static_cast<std::int64_t>(one.index.size()) <= 719);
            for (std::size_t at = 0; at < one.index.size(); ++at)
                REQUIRE(one.index[at] == planned[static_cast<std::size_t>(one.slot) + at]);
            reported += one.index.size();
        }
        CHECK(reported == 2 * 719);  // ceil(1437 / 2) in each of two epochs
    }
}

TEST_CASE("a wrong sample is injected only where a test requests it") {
    const std::optional<WrongIndex> wrong = parseWrongIndex("2:3:17:4242");
    REQUIRE(wrong);
    CHECK(wrong->rank == 2);
    std::vector<std::int64_t> batch{10, 11, 12};
    wrong->replaceIn(2, 16, batch);
    wrong->replaceIn(3, 18, batch);
    wrong->replaceIn(3, 14, batch);
    CHECK(batch == std::vector<std::int64_t>{10, 11, 12});
    wrong->replaceIn(3, 16, batch);
    CHECK(batch == std::vector<std::int64_t>{10, 4242, 12});
    for (const char* text : {"", "2", "2:3:17", "2:3:17:", "2:3:17:x", "2:3:17:1:1", "-1:0:0:0", "2 3 17 1"}) {
        INFO(text);
        CHECK_FALSE(parseWrongIndex(text));
    }
}
