// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdlib>
#include <new>

#include "data/loading/data_loader.h"
#include "data/loading/numbered_images.h"
#include "support/catch.h"

namespace {
std::atomic<long> allocations{0};
}

// Counts the heap allocations of the whole program.
void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("loading a batch allocates nothing from the heap") {
    const NumberedImages set(4000, kSmallImage);
    LoaderConfig config;
    config.randomCropPadding = 1;
    config.horizontalFlip = true;
    SampleTransforms transforms(config, kSmallImage, 0, true);
    transforms.setScale({{0, 0}, {1, 1}});
    const ShardPlan plan = ShardPlan::make({.datasetSize = 4000, .worldSize = 1, .batchSize = 4}).value();
    for (const std::int64_t workers : {0, 2}) {
        const auto memory = makeHostMemory();
        DataLoader loader(set, transforms, {.numWorkers = workers, .persistentWorkers = workers > 0}, 4, *memory);
        loader.begin(plan, 0, 0);
        loader.next();
        const long before = allocations;
        for (std::int64_t batch = 1; batch < plan.stepsPerEpoch(); ++batch) loader.next();
        CHECK(allocations == before);
    }
}
