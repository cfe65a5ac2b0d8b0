// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "oracle.h"
#include "sampler_cases.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Indices = std::vector<std::int64_t>;

std::string planCommand(const ShardSpec& spec, const std::string& format) {
    std::ostringstream command;
    command << builtProgram("ringsidectl") << " plan --size " << spec.datasetSize << " --world-size " << spec.worldSize
            << " --epoch " << spec.epoch << " --seed " << spec.seed << " --batch-size " << spec.batchSize
            << (spec.shuffle ? " --shuffle" : " --no-shuffle") << (spec.dropLast ? " --drop-last" : "")
            << (spec.loaderDropLast ? " --loader-drop-last" : "") << " --format " << format;
    return command.str();
}

// Returns every sixteenth case of the grid.
std::vector<ShardSpec> someCases() {
    const std::vector<ShardSpec> all = samplerCases();
    std::vector<ShardSpec> some;
    for (std::size_t i = 0; i < all.size(); i += 16 + i % 3) some.push_back(all[i]);
    return some;
}

Json answersFor(const std::vector<ShardSpec>& specs) {
    Json queries = Json::array();
    for (const ShardSpec& spec : specs) queries.push_back(questionFor(spec));
    return queryPyTorch(queries);
}

void compareJson(const ShardSpec& spec, const Json& ranks) {
    const Json plan = parseJson(outputOf(planCommand(spec, "json")), "plan").value();
    CHECK(plan["dataset_size"] == spec.datasetSize);
    CHECK(plan["total_size"] == plan["samples_per_rank"].get<std::int64_t>() * spec.worldSize);
    std::vector<bool> used(static_cast<std::size_t>(spec.datasetSize));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        REQUIRE(plan["ranks"][rank]["indices"] == ranks[rank]["indices"]);
        REQUIRE(plan["ranks"][rank]["batches"] == ranks[rank]["batches"]);
        for (const Json& index : ranks[rank]["indices"]) used[index.get<std::size_t>()] = true;
    }
    // The samples that no rank has must equal the dropped samples of the plan.
    Indices dropped = plan["dropped"].get<Indices>();
    std::ranges::sort(dropped);
    Indices unused;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) unused.push_back(static_cast<std::int64_t>(i));
    }
    CHECK(dropped == unused);
}

// Plan that is reconstructed from the rows of its CSV: indices by rank, and indices by rank and step.
struct CsvPlan {
    std::vector<Indices> indices;
    std::vector<std::vector<Indices>> batches;
};

CsvPlan readCsvPlan(const std::string& text, std::size_t world) {
    CsvPlan plan{std::vector<Indices>(world), std::vector<std::vector<Indices>>(world)};
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    REQUIRE(line == "epoch,step,rank,slot,index,flag");
    while (std::getline(lines, line)) {
        std::istringstream cells(line);
        std::string epoch, step, rank, slot, index, flag;
        for (std::string* cell : {&epoch, &step, &rank, &slot, &index, &flag}) std::getline(cells, *cell, ',');
        if (flag == "dropped") continue;
        const std::size_t r = std::stoul(rank);
        if (plan.indices[r].size() <= std::stoul(slot)) plan.indices[r].resize(std::stoul(slot) + 1);
        plan.indices[r][std::stoul(slot)] = std::stoll(index);
        if (step.empty()) continue;
        plan.batches[r].resize(std::max(plan.batches[r].size(), std::stoul(step)));
        plan.batches[r][std::stoul(step) - 1].push_back(std::stoll(index));
    }
    return plan;
}

}  // namespace

TEST_CASE("ringsidectl plan prints PyTorch's assignment as JSON") {
    const std::vector<ShardSpec> specs = someCases();
    REQUIRE(specs.size() >= 35);
    const Json answers = answersFor(specs);
    for (std::size_t i = 0; i < specs.size(); ++i) {
        CAPTURE(questionFor(specs[i]).dump());
        compareJson(specs[i], answers[i]);
    }
}

TEST_CASE("ringsidectl plan prints PyTorch's assignment as CSV") {
    const std::vector<ShardSpec> specs = someCases();
    const Json answers = answersFor(specs);
    for (std::size_t i = 0; i < specs.size(); ++i) {
        CAPTURE(questionFor(specs[i]).dump());
        const auto world = static_cast<std::size_t>(specs[i].worldSize);
        const CsvPlan plan = readCsvPlan(outputOf(planCommand(specs[i], "csv")), world);
        for (std::size_t rank = 0; rank < world; ++rank) {
            REQUIRE(Json(plan.indices[rank]) == answers[i][rank]["indices"]);
            REQUIRE(Json(plan.batches[rank]) == answers[i][rank]["batches"]);
        }
    }
}

TEST_CASE("ringsidectl plan prints the hashes of PyTorch's assignment") {
    const ShardSpec spec{.datasetSize = 10007, .worldSize = 3, .epoch = 5, .seed = 99, .batchSize = 32};
    Json query = questionFor(spec);
    query["ask"] = "distributed_hashes";
    query["ranks"] = {0, 1, 2};
    const Json hashes = queryPyTorch(Json::array({query}))[0];
    std::string expected;
    for (std::size_t rank = 0; rank < 3; ++rank) {
        expected += std::to_string(rank) + " " + hashes[rank].get<std::string>() + "\n";
    }
    CHECK(outputOf(planCommand(spec, "hash")) == expected);
}
