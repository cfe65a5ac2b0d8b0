// SPDX-License-Identifier: Apache-2.0
#include "data/loading/data_loader.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

#include "data/loading/numbered_images.h"
#include "data/sets/common/sample_error.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr std::chrono::seconds kDeadline{60};

ShardPlan planOf(std::int64_t samples, std::int64_t ranks, std::int64_t batch, std::int64_t epoch = 0,
                 bool shuffle = true) {
    return ShardPlan::make(
               {.datasetSize = samples, .worldSize = ranks, .epoch = epoch, .shuffle = shuffle, .batchSize = batch})
        .value();
}

DataLoaderOptions workers(std::int64_t count, std::int64_t prefetch = 2, bool persistent = false) {
    return {.numWorkers = count, .prefetchFactor = prefetch, .persistentWorkers = persistent};
}

// A data loader for a data set, with its dependencies.
struct Loading {
    Loading(const Dataset& set, const DataLoaderOptions& options, std::int64_t maxBatch, SampleTransforms chosen = {})
        : transforms(std::move(chosen)), loader(set, transforms, options, maxBatch, *memory) {}
    std::unique_ptr<BatchMemory> memory = makeHostMemory();
    SampleTransforms transforms;
    DataLoader loader;
};

void checkBatch(const HostBatch& batch, const ShardPlan& plan, int rank, std::int64_t number) {
    const SlotRange range = plan.batch(number);
    REQUIRE(batch.rows() == range.count);
    REQUIRE(batch.features.size() == static_cast<std::size_t>(range.count * kSmallImage.features));
    REQUIRE(batch.labels.size() == static_cast<std::size_t>(range.count));
    CHECK(batch.targets.empty());
    for (std::int64_t row = 0; row < range.count; ++row) {
        const std::int64_t index = plan.index(rank, range.first + row);
        CHECK(batch.indices[static_cast<std::size_t>(row)] == index);
        CHECK(batch.labels[static_cast<std::size_t>(row)] == index % 10);
        const std::size_t at = static_cast<std::size_t>(row * kSmallImage.features);
        CHECK(batch.features[at] == static_cast<float>(index * 24));
        CHECK(batch.features[at + 23] == static_cast<float>(index * 24 + 23));
    }
}

// Counter on whose value a thread can wait.
class Count {
  public:
    void add() {
        const std::lock_guard lock(m_mutex);
        ++m_count;
        m_changed.notify_all();
    }
    bool reaches(int wanted) {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, kDeadline, [&] { return m_count >= wanted; });
    }
    int now() {
        const std::lock_guard lock(m_mutex);
        return m_count;
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_count = 0;
};

// Number of threads that have loaded at least one sample and have not ended.
std::atomic<int> livingThreads{0};
struct ThreadMark {
    ThreadMark() { ++livingThreads; }
    ~ThreadMark() { --livingThreads; }
};
void markThread(std::int64_t) {
    thread_local const ThreadMark mark;
}

}  // namespace

TEST_CASE("a loader returns the planned samples in order for any number of workers") {
    const NumberedImages set(103, kSmallImage);
    for (const std::int64_t count : {0, 1, 4}) {
        for (const std::int64_t prefetch : {1, 3}) {
            for (const bool persistent : {false, true}) {
                Loading loading(set, workers(count, prefetch, persistent), 8);
                for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
                    const ShardPlan plan = planOf(103, 2, 8, epoch);
                    loading.loader.begin(plan, 1, epoch);
                    for (std::int64_t batch = 0; batch < plan.stepsPerEpoch(); ++batch)
                        checkBatch(loading.loader.next(), plan, 1, batch);
                    loading.loader.end();
                }
            }
        }
    }
}

TEST_CASE("workers load num_workers * prefetch_factor batches ahead and no more") {
    NumberedImages set(400, kSmallImage);
    std::atomic<std::int64_t> inUse{-1};  // number of the batch that the loader returned last
    std::atomic<std::int64_t> tooEarly{0};
    Count loaded;
    set.onLoad = [&](std::int64_t index) {
        if (index / 4 > inUse + 2 * 3) ++tooEarly;
        loaded.add();
    };
    Loading loading(set, workers(2, 3), 4);
    const ShardPlan plan = planOf(400, 1, 4, 0, false);
    loading.loader.begin(plan, 0, 0);
    REQUIRE(loaded.reaches(2 * 3 * 4));  // before the first call of next()
    for (std::int64_t batch = 0; batch < plan.stepsPerEpoch(); ++batch) {
        inUse = batch;
        checkBatch(loading.loader.next(), plan, 0, batch);
    }
    CHECK(tooEarly == 0);
    CHECK(loaded.now() == 400);
}

TEST_CASE("a batch stays valid until the next one is requested") {
    NumberedImages set(64, kSmallImage);
    Count loaded;
    set.onLoad = [&](std::int64_t) { loaded.add(); };
    Loading loading(set, workers(2, 2), 4);
    const ShardPlan plan = planOf(64, 1, 4);
    loading.loader.begin(plan, 0, 0);
    const HostBatch& first = loading.loader.next();
    REQUIRE(loaded.reaches(5 * 4));  // all slots hold a batch: 4 prefetched batches and the one in use
    checkBatch(first, plan, 0, 0);
}

TEST_CASE("an unreadable sample is reported in the caller's thread after the previous batches") {
    NumberedImages set(64, kSmallImage);
    set.onLoad = [](std::int64_t index) {
        if (index == 17) throw IoError("photo.png: is cut off");
    };
    const ShardPlan plan = planOf(64, 1, 4, 0, false);
    for (const std::int64_t count : {0, 1, 4}) {
        for (const bool persistent : {false, true}) {
            Loading loading(set, workers(count, 2, persistent), 4);
            loading.loader.begin(plan, 0, 0);
            for (std::int64_t batch = 0; batch < 4; ++batch) checkBatch(loading.loader.next(), plan, 0, batch);
            try {
                loading.loader.next();
                FAIL("no error");
            } catch (const SampleError& error) {
                CHECK(std::string(error.what()) == "sample 17: photo.png: is cut off");
                CHECK(error.exitCode() == ExitCode::kBadConfiguration);
            }
        }
    }
}

TEST_CASE("any other exception of a worker reaches the caller unchanged") {
    NumberedImages set(64, kSmallImage);
    set.onLoad = [](std::int64_t index) {
        if (index == 5) throw std::out_of_range("five");
    };
    Loading loading(set, workers(2), 4);
    loading.loader.begin(planOf(64, 1, 4, 0, false), 0, 0);
    loading.loader.next();
    CHECK_THROWS_AS(loading.loader.next(), std::out_of_range);
}

TEST_CASE("an epoch may be abandoned at any batch and another one started") {
    const NumberedImages set(200, kSmallImage);
    for (const bool persistent : {false, true}) {
        Loading loading(set, workers(3, 2, persistent), 4);
        for (std::int64_t left = 0; left < 20; ++left) {
            const ShardPlan plan = planOf(200, 1, 4, left);
            loading.loader.begin(plan, 0, left);
            for (std::int64_t batch = 0; batch < left; ++batch) checkBatch(loading.loader.next(), plan, 0, batch);
            if (left % 2 == 0) loading.loader.end();
        }
    }
}

TEST_CASE("an epoch may start at any batch") {
    const NumberedImages set(50, kSmallImage);
    const ShardPlan plan = planOf(50, 1, 4);
    for (const std::int64_t count : {0, 3}) {
        Loading loading(set, workers(count), 4);
        for (std::int64_t first = 0; first <= plan.stepsPerEpoch(); ++first) {
            loading.loader.begin(plan, 0, 0, first);
            for (std::int64_t batch = first; batch < plan.stepsPerEpoch(); ++batch)
                checkBatch(loading.loader.next(), plan, 0, batch);
        }
    }
}

TEST_CASE("an abandoned long batch is not waited for") {
    NumberedImages set(1'000'000, kSmallImage);
    Count loaded;
    Count left;
    set.onLoad = [&](std::int64_t) {
        loaded.add();
        left.reaches(1);
    };
    {
        Loading loading(set, workers(1, 1), 1'000'000);
        loading.loader.begin(planOf(1'000'000, 1, 1'000'000), 0, 0);
        REQUIRE(loaded.reaches(1));
        std::thread leaver([&] { loading.loader.end(); });
        left.add();  // lets the worker finish its current sample; it must load no other one
        leaver.join();
    }
    CHECK(loaded.now() < 1'000'000);
}

TEST_CASE("threads end with the epoch unless they are persistent") {
    NumberedImages set(64, kSmallImage);
    set.onLoad = markThread;
    for (const bool persistent : {false, true}) {
        {
            Loading loading(set, workers(2, 2, persistent), 4);
            for (int epoch = 0; epoch < 2; ++epoch) {
                const ShardPlan plan = planOf(64, 1, 4);
                loading.loader.begin(plan, 0, epoch);
                for (std::int64_t batch = 0; batch < plan.stepsPerEpoch(); ++batch) loading.loader.next();
                loading.loader.end();
                CHECK((livingThreads > 0) == persistent);
            }
        }
        CHECK(livingThreads == 0);
    }
}

TEST_CASE("a sample is transformed equally by any worker, rank and world size") {
    const NumberedImages set(60, {.channels = 3, .height = 8, .width = 8, .features = 192});
    LoaderConfig config;
    config.randomCropPadding = 3;
    config.horizontalFlip = true;
    for (const std::int64_t epoch : {0, 1}) {
        std::map<std::int64_t, std::vector<float>> seen;
        for (const std::int64_t ranks : {1, 2, 3}) {
            for (const std::int64_t count : {0, 1, 4}) {
                const ShardPlan plan = planOf(60, ranks, 7, epoch);
                for (int rank = 0; rank < ranks; ++rank) {
                    Loading loading(set, workers(count), 7, SampleTransforms(config, set.shape(), 5, true));
                    loading.loader.begin(plan, rank, epoch);
                    for (std::int64_t step = 0; step < plan.stepsPerEpoch(); ++step) {
                        const HostBatch& batch = loading.loader.next();
                        for (std::size_t row = 0; row < batch.indices.size(); ++row) {
                            const auto image = batch.features.subspan(row * 192, 192);
                            const auto [place, isNew] =
                                seen.try_emplace(batch.indices[row], image.begin(), image.end());
                            CHECK(std::ranges::equal(place->second, image));
                        }
                    }
                }
            }
        }
        CHECK(seen.size() == 60);
    }
}
