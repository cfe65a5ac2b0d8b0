// SPDX-License-Identifier: Apache-2.0
#include "data/sets/common/subset_dataset.h"
#include "oracle.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::vector<std::int64_t> originals(const Dataset& part) {
    const auto& subset = dynamic_cast<const SubsetDataset&>(part);
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < subset.size(); ++i) indices.push_back(subset.original(i));
    return indices;
}

}  // namespace

TEST_CASE("the digits are split as torch.utils.data.random_split splits them") {
    const std::vector<std::int64_t> seeds = {0, 1, 42, -7, 4294967295};
    Json queries = Json::array();
    for (const std::int64_t seed : seeds) {
        queries.push_back({{"ask", "split"}, {"seed", seed}, {"sizes", {1437, 360}}});
    }
    const Json answers = queryPyTorch(queries);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        DatasetConfig config;
        config.splitSeed = seeds[i];
        const DataSplit split = loadDataset(config).value();
        CHECK(originals(*split.training) == answers[i][0].get<std::vector<std::int64_t>>());
        CHECK(originals(*split.validation) == answers[i][1].get<std::vector<std::int64_t>>());
    }
}
