// SPDX-License-Identifier: Apache-2.0
#include "plan/bucket_plan.h"
#include "support/catch.h"

using namespace ringside;
using Buckets = std::vector<std::vector<std::size_t>>;

TEST_CASE("buckets close as soon as they hold their limit, last parameter first") {
    // dist._compute_bucket_assignment_by_size with limits (400, 800): one tensor, then two, then two.
    CHECK(planBuckets({400, 400, 400, 400, 400}, {400, 800}) == Buckets{{4}, {3, 2}, {1, 0}});
}

TEST_CASE("ten layers of a million weights are split into the buckets of PyTorch's DDP") {
    // torch 1.13.1 reports 4,004,000 / 28,028,000 / 8,008,000 bytes: 1, 7 and 2 layers, each bias before its weight.
    std::vector<std::size_t> bytes;
    for (int layer = 0; layer < 10; ++layer) {
        bytes.push_back(4'000'000);
        bytes.push_back(4'000);
    }
    const auto buckets = planBuckets(bytes, {});
    std::vector<std::size_t> sizes;
    for (const auto& bucket : buckets) {
        std::size_t size = 0;
        for (std::size_t parameter : bucket) size += bytes[parameter];
        sizes.push_back(size);
    }
    CHECK(sizes == std::vector<std::size_t>{4'004'000, 28'028'000, 8'008'000});
    CHECK(buckets.front() == std::vector<std::size_t>{19, 18});
}

TEST_CASE("a small model has one bucket, and an empty model has none") {
    CHECK(planBuckets({32768, 512, 5120, 40}, {}) == Buckets{{3, 2, 1, 0}});
    CHECK(planBuckets({}, {}).empty());
}
