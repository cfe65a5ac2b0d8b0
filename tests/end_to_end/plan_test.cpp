// SPDX-License-Identifier: Apache-2.0
// Tests of `ringsidectl plan` and `config` as a user calls them. Tests in tests/pytorch compare the plans with PyTorch.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "base/system/files.h"
#include "program.h"
#include "support/catch.h"

using namespace ringside;

namespace {

struct Outcome {
    int exitCode = 0;
    std::string output;
};

Outcome ringsidectl(const std::vector<std::string>& arguments) {
    Program program(arguments);
    const int exitCode = program.wait();
    return {exitCode, program.output()};
}

Outcome plan(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "plan");
    return ringsidectl(arguments);
}

}  // namespace

TEST_CASE("plan prints ten samples on four ranks as a table") {
    const Outcome outcome = plan({"--size", "10", "--world-size", "4", "--batch-size", "2"});
    CHECK(outcome.exitCode == 0);
    CHECK(outcome.output ==
          "10 samples on 4 ranks, epoch 0, shuffled with seed 0 + 0, batch size 2\n"
          "ceil(10 / 4) = 3 samples per rank; 2 are repeated so that all ranks get 3.\n"
          "2 steps of 4 x 2 = 8; the last step has 1 per rank.\n"
          "\n"
          "           step 1  step 2\n"
          "rank 0    | 4   3 | 6\n"
          "rank 1    | 1   9 | 2\n"
          "rank 2    | 7   0 | 4*\n"
          "rank 3    | 5   8 | 1*\n"
          "\n"
          "* repeated, so that all ranks get the same number\n");
}

TEST_CASE("plan prints one rank, and dropped samples, as JSON and CSV") {
    const Outcome json = plan({"--size", "10", "--world-size", "4", "--drop-last", "--rank", "3", "--format", "json"});
    const Json parsed = parseJson(json.output, "plan").value();
    CHECK(parsed["dropped"] == Json({6, 2}));
    CHECK(parsed["ranks"].size() == 1);
    CHECK(parsed["ranks"][0]["indices"] == Json({5, 8}));

    const Outcome csv = plan({"--size", "5", "--world-size", "2", "--drop-last", "--no-shuffle", "--format", "csv"});
    CHECK(csv.output ==
          "epoch,step,rank,slot,index,flag\n"
          "0,1,0,0,0,normal\n0,1,1,0,1,normal\n0,2,0,1,2,normal\n0,2,1,1,3,normal\n0,,,,4,dropped\n");
}

TEST_CASE("plan refuses values out of range with one line and exit code 2") {
    const auto refusal = [](const std::vector<std::string>& arguments) {
        const Outcome outcome = plan(arguments);
        CHECK(outcome.exitCode == 2);
        return outcome.output;
    };
    CHECK(refusal({"--size", "10", "--world-size", "0"}) ==
          "ringsidectl plan: world size is 0; the minimum is 1: choose a value from 1 to 4096\n");
    CHECK(contains(refusal({"--size", "10", "--world-size", "4097"}), "the maximum is 4096"));
    CHECK(contains(refusal({"--size", "2147483648", "--world-size", "4"}), "the maximum is 2147483647"));
    CHECK(refusal({"--size", "10", "--world-size", "4", "--rank", "4"}) ==
          "ringsidectl plan: rank is 4; with world size 4 the last rank is 3: choose a rank from 0 to 3\n");
    CHECK(contains(refusal({"--size", "10", "--world-size", "4", "--batch-size", "0"}), "the minimum is 1"));
    CHECK(contains(refusal({"--size", "10", "--world-size", "4", "--epoch", "-1"}), "epoch is -1"));
    CHECK(contains(refusal({"--size", "ten", "--world-size", "4"}), "--size"));
    CHECK(contains(refusal({"--size", "10", "--world-size", "4", "--format", "xml"}), "--format"));
    CHECK(contains(refusal({"--size", "10"}), "--world-size"));
    // An unset variable in a script gives an empty argument, which must not count as a missing one.
    CHECK(refusal({"--config", ""}) == "ringsidectl plan: --config is empty: give it a value or omit it\n");
    CHECK(contains(refusal({"--size", "10", "--world-size", "4", "--find", ""}), "--find is empty"));
}

TEST_CASE("config prints defaults and changed values, and checks a file with its data") {
    const TemporaryDirectory scratch;
    const Outcome changed = ringsidectl({"config", "--defaults", "--set", "parallel.world_size=8"});
    CHECK(changed.exitCode == 0);
    CHECK(parseJson(changed.output, "defaults").value()["parallel"]["world_size"] == 8);
    const std::string file = (scratch.path() / "my.json").string();
    writeFileAtomically(file, changed.output);

    CHECK(ringsidectl({"config", "--validate", file}).output == file + " is a valid experiment\n");
    CHECK(ringsidectl({"config", "--validate", file, "--set", "loader.batch_size=181"}).exitCode == 0);
    const Outcome large =
        ringsidectl({"config", "--validate", file, "--set", "loader.batch_size=181", "--set", "loader.drop_last=true"});
    CHECK(large.exitCode == 2);
    CHECK(contains(large.output, "drops the only batch: a rank's shard of 180 samples does not fill a batch of 181"));
    const Outcome wrong = ringsidectl({"config", "--validate", file, "--set", "loader.batch_size=0"});
    CHECK(wrong.exitCode == 2);
    CHECK(wrong.output == file + ": loader.batch_size is 0; the minimum is 1: choose a value from 1 to 2147483647\n");
    CHECK(ringsidectl({"config", "--validate", file + ".missing"}).exitCode == 2);
    CHECK(parseJson(ringsidectl({"config", "--schema"}).output, "schema").value().contains("properties"));
}

TEST_CASE("plan answers queries about a sample, unused samples, differences and mistakes") {
    const auto answer = [](std::vector<std::string> question) {
        for (const char* word : {"--format", "json", "--world-size", "4", "--size", "10"}) question.emplace_back(word);
        const Outcome outcome = plan(question);
        CHECK(outcome.exitCode == 0);
        return parseJson(outcome.output, "plan").value();
    };
    // Ranks get 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1.
    const Json found = answer({"--find", "#4"});
    CHECK(found["count"] == 2);
    CHECK(found["places"][1] == Json({{"index", 4}, {"rank", 2}, {"slot", 2}, {"step", 3}, {"flag", "padded"}}));
    CHECK(answer({"--never-seen", "--no-set-epoch", "--drop-last", "--epochs", "5"})["samples"] == Json({2, 6}));
    // In epoch 1 they get 5 0 7 | 6 8 4 | 1 9 5 | 2 3 6.
    const Json life = answer({"--biography", "4", "--epochs", "2", "--batch-size", "2"});
    CHECK(life["epochs"][0]["places"][0]["batch_mates"] == Json({3}));
    CHECK(life["epochs"][0]["places"][1]["flag"] == "padded");
    CHECK(life["epochs"][1]["places"][0]["rank"] == 1);
    CHECK(life["epochs"][1]["places"][0]["step"] == 2);
    CHECK(answer({"--diff", "seed=0"})["identical"] == true);
    CHECK(answer({"--diff", "epoch=1"})["identical"] == false);
    const Json damage = answer({"--damage", "--wrong-rank", "0"});
    CHECK(damage["seen"] == 3);
    CHECK(damage["overlap"] == Json(std::vector<int>(16, 3)));
    CHECK(answer({"--sampler", "contiguous", "--no-shuffle"})["ranks"][3]["indices"] == Json({9, 0, 1}));
}

TEST_CASE("plan counts the classes of every rank and marks counts outside the expected range") {
    const TemporaryDirectory scratch;
    const std::string digits = scratch.path() / "digits.json";
    std::ofstream(digits) << R"({"version": 1})";
    const Outcome outcome = plan({"--config", digits, "--world-size", "16", "--balance", "--format", "json"});
    INFO(outcome.output);
    REQUIRE(outcome.exitCode == 0);
    const Json balance = parseJson(outcome.output, "plan").value();
    const auto sizes = balance["class_sizes"].get<std::vector<double>>();
    const double n = std::accumulate(sizes.begin(), sizes.end(), 0.0), drawn = 90;  // ceil(1437 / 16)
    CHECK(n == 1437);
    std::vector<double> sums(sizes.size());
    std::size_t outside = 0;
    for (const Json& rank : balance["ranks"]) {
        const auto counts = rank["counts"].get<std::vector<double>>();
        CHECK(std::accumulate(counts.begin(), counts.end(), 0.0) == drawn);
        Json expected = Json::array();
        for (std::size_t label = 0; label < counts.size(); ++label) {
            sums[label] += counts[label];
            // The hypergeometric distribution's mean and 95 % band, in whole samples.
            const double mean = drawn * sizes[label] / n;
            const double half = 1.959964 * std::sqrt(mean * (1 - sizes[label] / n) * (n - drawn) / (n - 1));
            if (counts[label] < std::floor(mean - half) || counts[label] > std::ceil(mean + half))
                expected.push_back(label);
        }
        CHECK(rank["outside_chance"] == expected);
        outside += expected.size();
    }
    CHECK(std::accumulate(sums.begin(), sums.end(), 0.0) == 1440);  // three samples are repeated
    for (std::size_t label = 0; label < sizes.size(); ++label) CHECK(sums[label] >= sizes[label]);
    const Outcome text = plan({"--config", digits, "--world-size", "16", "--balance"});
    // One more "!" is in the sentence that explains the mark.
    CHECK(static_cast<std::size_t>(std::ranges::count(text.output, '!')) == outside + 1);
}

TEST_CASE("plan refuses an unknown sampler, and a balance without classes, with the remedy") {
    const Outcome unknown = plan({"--size", "10", "--world-size", "4", "--sampler", "magic"});
    CHECK(unknown.exitCode == 2);
    CHECK(contains(unknown.output,
                   "ringsidectl plan: sampler.kind is \"magic\"; the choices are distributed, sequential"));
    const Outcome nobody = plan({"--size", "10", "--world-size", "4", "--biography", "10"});
    CHECK(nobody.exitCode == 2);
    CHECK(contains(nobody.output, "biography is 10; the data set has 10 samples"));
    const Outcome balance = plan({"--size", "10", "--world-size", "4", "--balance"});
    CHECK(balance.exitCode == 2);
    CHECK(contains(balance.output, "--config FILE"));
}

// The ranks have 0 4 8 | 1 5 9 | 2 6 | 3 7, and torch's DataLoader yields one batch of three on ranks 0 and 1 only.
TEST_CASE("plan lists the samples of shorter ranks that are in no step") {
    const Outcome outcome = plan({"--size", "10", "--world-size", "4", "--batch-size", "3", "--sampler", "unpadded",
                                  "--no-shuffle", "--loader-drop-last"});
    CHECK(outcome.exitCode == 0);
    CHECK(contains(outcome.output,
                   "           step 1\n"
                   "rank 0    | 0   4   8\n"
                   "rank 1    | 1   5   9\n"
                   "rank 2    | 2   6     samples in no step: the last 2\n"
                   "rank 3    | 3   7     samples in no step: the last 2\n"));
}
