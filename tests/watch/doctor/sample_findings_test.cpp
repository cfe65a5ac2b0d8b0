// SPDX-License-Identifier: Apache-2.0
#include "support/catch.h"
#include "watch/doctor/reports.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::string samplerWith(const std::string& what, const std::string& replacement) {
    std::string text = kDistributedSampler;
    return text.replace(text.find(what), what.size(), replacement);
}

Reports readingAll(const std::string& dataset) {
    Reports reports = healthyDdp(kRandomSampler, dataset);
    reports.trainedPass(0, 0, 0, "", {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}});
    reports.trainedPass(1, 0, 0, "", {{15, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 0}});
    return reports;
}

}  // namespace

TEST_CASE("a correct DistributedDataParallel script has no finding but the note of its batch") {
    Reports reports = healthyDdp();
    healthyEpochs(reports);
    const Diagnosis diagnosis = reports.diagnosis();
    CHECK(accusations(diagnosis).empty());
    REQUIRE(diagnosis.findings.size() == 1);
    CHECK(diagnosis.findings[0].code == "effective-batch");
    CHECK(diagnosis.findings[0].text ==
          "One optimizer step sees 8 samples: 4 per batch x 2 ranks. The learning rate is 0.1.");
    CHECK(diagnosis.findings[0].where == "train.py:30");
    for (const char* const code : {"sampler-rank", "sampler-seed", "data-set-differs", "every-rank-reads-everything",
                                   "shards-overlap", "samples-never-seen", "set-epoch-missing", "replicas-differ"})
        CHECK(code + (": " + resultOf(diagnosis, code)) == code + std::string(": passed"));
}

TEST_CASE("two epochs of one order with the same sampler epoch miss set_epoch") {
    Reports reports = healthyDdp();
    for (int rank = 0; rank < 2; ++rank)
        for (int pass = 0; pass < 2; ++pass)
            reports.trainedPass(rank, 0, pass, R"(,"sampler_epoch":0)",
                                {{rank, 2 + rank, 4 + rank, 6 + rank}, {8 + rank, 10 + rank, 12 + rank, 14 + rank}});
    const Diagnosis diagnosis = reports.diagnosis();
    CHECK(accusations(diagnosis) == std::vector<std::string>{"set-epoch-missing"});
    CHECK(findingOf(diagnosis, "set-epoch-missing").text ==
          "Rank 0 trains on the same order of 8 samples in epochs 1 and 2: set_epoch() was not called between them.");
    CHECK(findingOf(diagnosis, "set-epoch-missing").where == "train.py:30");
}

TEST_CASE("an order that repeats although set_epoch is called names the late call") {
    Reports reports = healthyDdp();
    const auto pass = [&](int rank, std::int64_t number, std::int64_t epoch, std::int64_t first) {
        std::vector<std::int64_t> index = range(first, first + 8);
        reports.trainedPass(rank, 0, number, R"(,"sampler_epoch":)" + std::to_string(epoch), {index});
    };
    for (int rank = 0; rank < 2; ++rank) {
        pass(rank, 0, 0, 8 * rank);
        pass(rank, 1, 0, 8 * rank);
        pass(rank, 2, 1, 8 - 8 * rank);
    }
    CHECK(findingOf(reports.diagnosis(), "set-epoch-missing").text ==
          "Rank 0 trains on the same order of 8 samples in epochs 1 and 2: the sampler had the same epoch at the start "
          "of both epochs. set_epoch() has an effect only before iter().");
}

TEST_CASE("an evaluation loader, a sampler that does not shuffle and one epoch do not miss set_epoch") {
    Reports evaluates = healthyDdp();
    evaluates.facts("loader", loaderFacts(1, kDistributedSampler, kData));
    for (int rank = 0; rank < 2; ++rank)
        for (int pass = 0; pass < 2; ++pass) evaluates.evaluatedPass(rank, 1, pass, range(8 * rank, 8 * rank + 8));
    CHECK(resultOf(evaluates.diagnosis(), "set-epoch-missing") == "skipped");
    evaluates.trainedPass(0, 0, 0, R"(,"sampler_epoch":0)", {range(0, 8)});
    CHECK(resultOf(evaluates.diagnosis(), "set-epoch-missing") == "could_not_judge");
    Reports ordered = healthyDdp(samplerWith(R"("shuffle":true)", R"("shuffle":false)"));
    for (int rank = 0; rank < 2; ++rank)
        for (int pass = 0; pass < 2; ++pass)
            ordered.trainedPass(rank, 0, pass, R"(,"sampler_epoch":0)", {range(8 * rank, 8 * rank + 8)});
    CHECK(resultOf(ordered.diagnosis(), "set-epoch-missing") == "skipped");
}

TEST_CASE("a random sampler with one order in two epochs is noted") {
    Reports reports(1);
    reports.facts("loader", loaderFacts(0, kRandomSampler, kData));
    for (int pass = 0; pass < 2; ++pass) reports.trainedPass(0, 0, pass, "", {{5, 3, 1, 0, 2, 9, 8, 4}});
    CHECK(resultOf(reports.diagnosis(), "order-repeats") == "found");
    Reports other(1);
    other.facts("loader", loaderFacts(0, kRandomSampler, kData));
    other.trainedPass(0, 0, 0, "", {{5, 3, 1, 0, 2, 9, 8, 4}}).trainedPass(0, 0, 1, "", {{5, 3, 1, 0, 2, 9, 4, 8}});
    CHECK(resultOf(other.diagnosis(), "order-repeats") == "passed");
}

TEST_CASE("every rank reads everything without a DistributedSampler") {
    const Diagnosis diagnosis = readingAll(kData).diagnosis();
    CHECK(accusations(diagnosis) == std::vector<std::string>{"every-rank-reads-everything"});
    CHECK(
        findingOf(diagnosis, "every-rank-reads-everything").text ==
        "Each of 2 ranks trains on all 16 samples: the loader has no DistributedSampler, so each sample counts 2 times "
        "per epoch.");
    CHECK(resultOf(diagnosis, "shards-overlap") == "skipped");
}

TEST_CASE("equal indices of other samples do not mean that every rank reads everything") {
    const std::string own = R"({"class":"Folder","object":1,"length":16,"samples_sha256":"files of rank $R"})";
    const Diagnosis different = readingAll(own).diagnosis();
    CHECK(accusations(different).empty());
    CHECK(resultOf(different, "every-rank-reads-everything") == "passed");
    const Diagnosis unknown = readingAll(R"({"class":"Mine","object":1,"length":16})").diagnosis();
    CHECK(accusations(unknown).empty());
    CHECK(resultOf(unknown, "every-rank-reads-everything") == "could_not_judge");
}

TEST_CASE("contents of samples show whether data sets without fingerprints are equal") {
    const std::string mine = R"({"class":"Mine","object":1,"length":16})";
    Reports equal = readingAll(mine);
    equal.facts("content", R"({"loader":0,"pass":0,"batch":1,"sample_crc32":[4,5,6,7],"label_crc32":[1,2,1,2]})");
    CHECK(resultOf(equal.diagnosis(), "every-rank-reads-everything") == "found");
    Reports tooFew = readingAll(mine);
    tooFew.facts("content", R"({"loader":0,"pass":0,"batch":1,"sample_crc32":[4,5],"label_crc32":[1,2]})");
    CHECK(resultOf(tooFew.diagnosis(), "every-rank-reads-everything") == "could_not_judge");
}

TEST_CASE("equal data of tensor-parallel ranks are not reported") {
    Reports reports(2);
    reports.facts("process", R"({"world_size":2,"distributed":true})");
    reports.facts("optimizer", R"({"id":0,"class":"torch.optim.sgd.SGD","sharded":3,"with_gradient":4,"groups":[]})");
    reports.facts("loader", loaderFacts(0, kRandomSampler, kData));
    for (int rank = 0; rank < 2; ++rank) reports.trainedPass(rank, 0, 0, "", {range(0, 16)});
    const Diagnosis diagnosis = reports.diagnosis();
    CHECK(diagnosis.findings.empty());
    CHECK(resultOf(diagnosis, "every-rank-reads-everything") == "skipped");
}

TEST_CASE("samplers with a wrong rank or a wrong number of ranks are named, and nothing else") {
    Reports sameRank = healthyDdp(samplerWith(R"("rank":$R)", R"("rank":0)"));
    for (int rank = 0; rank < 2; ++rank) sameRank.trainedPass(rank, 0, 0, "", {range(0, 8)});
    const Diagnosis ranks = sameRank.diagnosis();
    CHECK(accusations(ranks) == std::vector<std::string>{"sampler-rank"});
    CHECK(findingOf(ranks, "sampler-rank").text ==
          "The DistributedSampler of the training loader uses the rank numbers 0, 0 on ranks 0 and 1: the ranks do not "
          "read different parts.");
    Reports wrongSize = healthyDdp(samplerWith(R"("num_replicas":2)", R"("num_replicas":4)"));
    for (int rank = 0; rank < 2; ++rank) wrongSize.trainedPass(rank, 0, 0, "", {range(4 * rank, 4 * rank + 4)});
    CHECK(
        findingOf(wrongSize.diagnosis(), "sampler-rank").text ==
        "The DistributedSampler of the training loader divides the samples among 4 ranks, but 2 ranks train together.");
}

TEST_CASE("findings about samplers and loaders refer to the line that creates them") {
    const std::string created = R"("created":"train.py:10",)";
    Reports sampler = healthyDdp(samplerWith(R"("num_replicas")", created + R"("num_replicas")"));
    sampler.facts("loader",
                  loaderFacts(0, samplerWith(R"("num_replicas":2,"rank":$R)", created + R"("num_replicas":2,"rank":0)"),
                              kData, R"(,"created":"train.py:12")"));
    for (int rank = 0; rank < 2; ++rank) sampler.trainedPass(rank, 0, 0, "", {range(0, 8)});
    CHECK(findingOf(sampler.diagnosis(), "sampler-rank").where == "train.py:10");

    const std::string loader = loaderFacts(0, kRandomSampler, kData, R"(,"created":"train.py:12")");
    Reports everyRank = healthyDdp(kRandomSampler);
    everyRank.facts("loader", loader);
    for (int rank = 0; rank < 2; ++rank) everyRank.trainedPass(rank, 0, 0, "", {range(0, 16)});
    CHECK(findingOf(everyRank.diagnosis(), "every-rank-reads-everything").where == "train.py:12");
}

TEST_CASE("findings about subsets refer to the line that creates the subset") {
    const auto subset = [](int object, int length, const std::string& hash) {
        std::string facts = subsetFacts(object, length, hash);
        return facts.insert(1, R"("created":"train.py:7",)");
    };
    Reports leak(1);
    leak.facts("loader", loaderFacts(0, kRandomSampler, R"({"class":"Base","object":7,"length":100})"));
    leak.facts("loader", loaderFacts(1, kRandomSampler, subset(2, 20, "v"), R"(,"created":"train.py:12")"));
    leak.fact(0, "subset", R"({"object":2,"first":0,"index":)" + listOf(range(80, 100)) + "}");
    leak.trainedPass(0, 0, 0, "", {range(0, 100)}).evaluatedPass(0, 1, 0, range(0, 20));
    CHECK(findingOf(leak.diagnosis(), "trained-on-validation").where == "train.py:7");

    Reports split = healthyDdp();
    for (int rank = 0; rank < 2; ++rank) {
        split.fact(rank, "loader",
                   loaderFacts(0, kDistributedSampler, subset(1, 80, "t$R"), R"(,"created":"train.py:12")"));
        split.fact(rank, "subset",
                   R"({"object":1,"first":0,"index":)" + listOf(range(20 * rank, 20 * rank + 80)) + "}");
    }
    split.trainedPass(0, 0, 0, "", {range(0, 40)}).trainedPass(1, 0, 0, "", {range(40, 80)});
    CHECK(findingOf(split.diagnosis(), "data-set-differs").where == "train.py:7");
}

TEST_CASE("samplers with the ranks exchanged divide the samples well") {
    Reports reports = healthyDdp();
    reports.fact(0, "loader", loaderFacts(0, samplerWith(R"("rank":$R)", R"("rank":1)"), kData));
    reports.fact(1, "loader", loaderFacts(0, samplerWith(R"("rank":$R)", R"("rank":0)"), kData));
    healthyEpochs(reports);
    CHECK(accusations(reports.diagnosis()).empty());
}

TEST_CASE("a seed for each rank is named with the samples that came twice") {
    Reports reports = healthyDdp(samplerWith(R"("seed":0)", R"("seed":$R)"));
    reports.trainedPass(0, 0, 0, R"(,"sampler_epoch":0)", {{0, 2, 4, 6}, {8, 10, 12, 14}});
    reports.trainedPass(1, 0, 0, R"(,"sampler_epoch":0)", {{0, 2, 4, 7}, {9, 11, 13, 15}});
    const Diagnosis diagnosis = reports.diagnosis();
    CHECK(accusations(diagnosis) == std::vector<std::string>{"sampler-seed"});
    CHECK(findingOf(diagnosis, "sampler-seed").text ==
          "The samplers of ranks 0 and 1 shuffle with 2 different seeds: 3 samples of epoch 1 went to more than one "
          "rank.");
}

TEST_CASE("overlapping shards of a custom sampler are counted, and padding is not an overlap") {
    const std::string own = R"({"class":"train.Mine","num_replicas":2,"rank":$R})";
    Reports reports = healthyDdp(own, kData);
    reports.trainedPass(0, 0, 0, "", {range(0, 12)}).trainedPass(1, 0, 0, "", {range(3, 16)});
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"shards-overlap"});
    CHECK(findingOf(reports.diagnosis(), "shards-overlap").text ==
          "Shards overlap: in epoch 1, 9 samples of 16 went to more than one rank.");
    const std::string odd =
        R"({"class":"torch.utils.data.dataset.TensorDataset","object":1,"length":15,"content_crc32":[7]})";
    Reports padded = healthyDdp(kDistributedSampler, odd);
    padded.trainedPass(0, 0, 0, "", {range(0, 8)}).trainedPass(1, 0, 0, "", {{8, 9, 10, 11, 12, 13, 14, 0}});
    CHECK(accusations(padded.diagnosis()).empty());
}

TEST_CASE("epochs that always end at the same place of a fixed order leave samples out") {
    const auto cut = [](int passes, bool shuffles, const std::vector<std::int64_t>& second) {
        const std::string sampler =
            shuffles ? kDistributedSampler : samplerWith(R"("shuffle":true)", R"("shuffle":false)");
        Reports reports = healthyDdp(sampler);
        for (int pass = 0; pass < passes; ++pass) {
            for (int rank = 0; rank < 2; ++rank) {
                const std::string which = R"({"loader":0,"pass":)" + std::to_string(pass);
                reports.fact(rank, "pass", which + "}");
                std::vector<std::int64_t> index = pass == 1 ? second : range(0, 4);
                for (std::int64_t& one : index) one = 2 * one + rank;
                reports.trained(rank, 0, pass, pass + 1, 0, index);
                reports.fact(
                    rank, "pass_end",
                    which + R"(,"why":"left","trained":1,"untrained":0,"epoch":)" + std::to_string(pass) + "}");
            }
        }
        return reports.diagnosis();
    };
    CHECK(findingOf(cut(3, false, range(0, 4)), "samples-never-seen").text ==
          "Each epoch ends at the same position, and the order of the samples is not shuffled: 8 samples of 16 (50 %) "
          "went to no rank in any epoch.");
    CHECK(resultOf(cut(2, false, range(0, 4)), "samples-never-seen") == "could_not_judge");
    CHECK(resultOf(cut(3, false, range(4, 8)), "samples-never-seen") == "could_not_judge");
    CHECK(resultOf(cut(3, true, range(0, 4)), "samples-never-seen") != "found");
}

TEST_CASE("Accelerate fills the batches of all ranks with samples that other ranks have read") {
    const std::string sampler =
        R"({"class":"accelerate.data_loader.BatchSamplerShard","batch_size":4,"num_processes":2,)"
        R"("process_index":$R,"even_batches":true,"inner":{"class":"torch.utils.data.sampler.)"
        R"(RandomSampler","source_length":16}})";
    Reports reports = healthyDdp(sampler, kData);
    std::string facts = loaderFacts(0, sampler, kData);
    facts.replace(facts.find(R"(,"batch_size":4)"), 15, "");  // a loader with a batch sampler has no batch size
    reports.facts("loader", facts);
    reports.trainedPass(0, 0, 0, "", {{0, 1, 2, 3}, {8, 9, 10, 11}, {15, 0, 1, 2}});
    reports.trainedPass(1, 0, 0, "", {{4, 5, 6, 7}, {12, 13, 14, 3}, {4, 5, 6, 8}});
    CHECK(accusations(reports.diagnosis()).empty());
}

// Indices of 3 samples in batches of 4 on two ranks, as Accelerate 1.15.0 assigns them.
TEST_CASE("equal shards of a data set that is smaller than a batch of all ranks repeat all of it") {
    const std::string data =
        R"({"class":"torch.utils.data.dataset.TensorDataset","object":1,"length":3,"content_crc32":[7]})";
    const std::string sampler =
        R"({"class":"accelerate.data_loader.BatchSamplerShard","batch_size":4,"num_processes":2,)"
        R"("process_index":$R,"even_batches":true,"inner":{"class":"torch.utils.data.sampler.)"
        R"(SequentialSampler","source_length":3}})";
    Reports reports = healthyDdp(sampler, data);
    reports.trainedPass(0, 0, 0, "", {{0, 1, 2, 0}}).trainedPass(1, 0, 0, "", {{1, 2, 0, 1}});
    CHECK(accusations(reports.diagnosis()).empty());
    CHECK(resultOf(reports.diagnosis(), "every-rank-reads-everything") == "passed");
}

TEST_CASE("samples that no rank reads are counted, and dropped last batches are not") {
    const std::string own = R"({"class":"train.Mine","num_replicas":2,"rank":$R})";
    Reports reports = healthyDdp(own, kData);
    reports.trainedPass(0, 0, 0, "", {range(0, 4)}).trainedPass(1, 0, 0, "", {range(8, 12)});
    const Diagnosis diagnosis = reports.diagnosis();
    CHECK(accusations(diagnosis) == std::vector<std::string>{"samples-never-seen"});
    CHECK(findingOf(diagnosis, "samples-never-seen").text == "8 samples of 16 (50 %) went to no rank in epoch 1.");
    Reports drops = healthyDdp(own, kData);
    drops.facts("loader", loaderFacts(0, own, kData, R"(,"drop_last":true)"));
    drops.trainedPass(0, 0, 0, "", {range(0, 7)}).trainedPass(1, 0, 0, "", {range(8, 15)});
    CHECK(resultOf(drops.diagnosis(), "samples-never-seen") != "found");
}

TEST_CASE("a pass that the script ends early proves nothing about samples that were not seen") {
    Reports reports = healthyDdp();
    for (int rank = 0; rank < 2; ++rank) {
        reports.fact(rank, "pass", R"({"loader":0,"pass":0,"sampler_epoch":0})");
        reports.trained(rank, 0, 0, 1, 0, {rank, 2 + rank});
        reports.fact(rank, "pass_end", R"({"loader":0,"pass":0,"why":"left","trained":1,"untrained":0,"epoch":0})");
    }
    CHECK(accusations(reports.diagnosis()).empty());
    CHECK(resultOf(reports.diagnosis(), "samples-never-seen") == "could_not_judge");
}

TEST_CASE("another random split on each rank is named once, with what it does to the samples") {
    Reports reports = healthyDdp();
    const std::vector<std::vector<std::int64_t>> train{range(0, 80), range(20, 100)};
    const std::vector<std::vector<std::int64_t>> held{range(80, 100), range(0, 20)};
    for (int rank = 0; rank < 2; ++rank) {
        const auto own = static_cast<std::size_t>(rank);
        reports.fact(rank, "loader", loaderFacts(0, kDistributedSampler, subsetFacts(1, 80, "t$R")));
        reports.fact(rank, "loader", loaderFacts(1, kRandomSampler, subsetFacts(2, 20, "v$R")));
        reports.fact(rank, "subset", R"({"object":1,"first":0,"index":)" + listOf(train[own]) + "}");
        reports.fact(rank, "subset", R"({"object":2,"first":0,"index":)" + listOf(held[own]) + "}");
        std::vector<std::int64_t> indices;  // positions rank, rank + 2, ... of the subset
        for (int i = 0; i < 40; ++i) indices.push_back(2 * i + rank);
        reports.trainedPass(rank, 0, 0, R"(,"sampler_epoch":0)", {indices});
        reports.evaluatedPass(rank, 1, 0, range(0, 20));
    }
    const Diagnosis diagnosis = reports.diagnosis();
    CHECK(accusations(diagnosis) == std::vector<std::string>{"data-set-differs"});
    // Rank 0 reads the even numbers below 80, rank 1 the odd numbers from 21 on. The ranks share no sample; the odd
    // numbers up to 19 and the even numbers from 80 to 98 are missing.
    CHECK(findingOf(diagnosis, "data-set-differs").text ==
          "The ranks have different subsets of the data set, but the sampler divides the subset of each rank among 2 "
          "ranks as if all subsets were equal. In each epoch, each rank therefore trains on only about 1/2 of its "
          "subset: in epoch 1, the ranks trained on 80 of 100 samples, and 0 samples went to more than one rank.");
    CHECK(resultOf(diagnosis, "trained-on-validation") == "skipped");
}

TEST_CASE("disjoint subsets without a sampler are a partition") {
    Reports reports = healthyDdp();
    for (int rank = 0; rank < 2; ++rank) {
        reports.fact(rank, "loader", loaderFacts(0, kRandomSampler, subsetFacts(1, 50, "p$R")));
        reports.fact(rank, "subset",
                     R"({"object":1,"first":0,"index":)" + listOf(range(50 * rank, 50 * rank + 50)) + "}");
        reports.trainedPass(rank, 0, 0, "", {range(0, 50)});
    }
    CHECK(accusations(reports.diagnosis()).empty());
}

TEST_CASE("file lists in another order on each rank make equal shards different samples") {
    const std::string files = R"({"class":"Folder","object":1,"length":16,"samples_sha256":"order $R"})";
    Reports reports = healthyDdp(kDistributedSampler, files);
    healthyEpochs(reports);
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"data-set-differs"});
}

TEST_CASE("data that each rank generates is not judged, data in another order is a mistake") {
    const std::string random =
        R"({"class":"torch.utils.data.dataset.TensorDataset","object":1,"length":16,"content_crc32":[$R,9]})";
    Reports generated = healthyDdp(kDistributedSampler, random);
    generated.fact(0, "content", R"({"loader":0,"pass":0,"batch":0,"sample_crc32":[1,2,3,4]})");
    generated.fact(1, "content", R"({"loader":0,"pass":0,"batch":0,"sample_crc32":[5,6,7,8]})");
    healthyEpochs(generated);
    CHECK(accusations(generated.diagnosis()).empty());
    CHECK(resultOf(generated.diagnosis(), "data-set-differs") == "could_not_judge");
    Reports shuffled = healthyDdp(kDistributedSampler, random);
    shuffled.fact(0, "content", R"({"loader":0,"pass":0,"batch":0,"sample_crc32":[1,2,3,4]})");
    shuffled.fact(1, "content", R"({"loader":0,"pass":0,"batch":0,"sample_crc32":[3,2,1,8]})");
    healthyEpochs(shuffled);
    CHECK(accusations(shuffled.diagnosis()) == std::vector<std::string>{"data-set-differs"});
}

TEST_CASE("validation samples that are trained on are counted, the training accuracy is not") {
    Reports leak(1);
    leak.facts("loader", loaderFacts(0, kRandomSampler, R"({"class":"Base","object":7,"length":100})"));
    leak.facts("loader", loaderFacts(1, kRandomSampler, subsetFacts(2, 20, "v")));
    leak.fact(0, "subset", R"({"object":2,"first":0,"index":)" + listOf(range(80, 100)) + "}");
    leak.trainedPass(0, 0, 0, "", {range(0, 100)}).evaluatedPass(0, 1, 0, range(0, 20));
    CHECK(accusations(leak.diagnosis()) == std::vector<std::string>{"trained-on-validation"});
    CHECK(findingOf(leak.diagnosis(), "trained-on-validation").text ==
          "20 samples of the 20 that rank 0 evaluates are not held out: rank 0 trains on them.");
    CHECK(findingOf(leak.diagnosis(), "trained-on-validation").where == "train.py:31");

    Reports accuracy(1);
    accuracy.facts("loader", loaderFacts(0, kRandomSampler, kData))
        .facts("loader", loaderFacts(1, kRandomSampler, kData));
    accuracy.trainedPass(0, 0, 0, "", {range(0, 16)}).evaluatedPass(0, 1, 0, range(0, 16));
    CHECK(accusations(accuracy.diagnosis()).empty());

    Reports held(1);
    held.facts("loader", loaderFacts(0, kRandomSampler, subsetFacts(1, 80, "t")));
    held.facts("loader", loaderFacts(1, kRandomSampler, subsetFacts(2, 20, "v")));
    held.fact(0, "subset", R"({"object":1,"first":0,"index":)" + listOf(range(0, 80)) + "}");
    held.fact(0, "subset", R"({"object":2,"first":0,"index":)" + listOf(range(80, 100)) + "}");
    held.trainedPass(0, 0, 0, "", {range(0, 80)}).evaluatedPass(0, 1, 0, range(0, 20));
    CHECK(resultOf(held.diagnosis(), "trained-on-validation") == "passed");
}

TEST_CASE("a complete evaluation on each rank is reported as a cost, on rank 0 or in shards it is not") {
    Reports everywhere = healthyDdp();
    healthyEpochs(everywhere);
    everywhere.facts("loader", loaderFacts(1, kRandomSampler, kData));
    for (int rank = 0; rank < 2; ++rank) everywhere.evaluatedPass(rank, 1, 0, range(0, 16));
    const Diagnosis diagnosis = everywhere.diagnosis();
    CHECK(accusations(diagnosis) == std::vector<std::string>{"validation-everywhere"});
    CHECK(findingOf(diagnosis, "validation-everywhere").severity == Severity::kCost);
    Reports first = healthyDdp();
    healthyEpochs(first);
    first.fact(0, "loader", loaderFacts(1, kRandomSampler, kData)).evaluatedPass(0, 1, 0, range(0, 16));
    CHECK(accusations(first.diagnosis()).empty());
}

TEST_CASE("an evaluation in parts whose results no collective combines is a mistake") {
    const auto with = [](int collectives, bool trains) {
        Reports reports = healthyDdp();
        healthyEpochs(reports);
        reports.facts("loader", loaderFacts(1, kDistributedSampler, kData));
        for (int rank = 0; rank < 2; ++rank) {
            reports.evaluatedPass(rank, 1, 0, range(8 * rank, 8 * rank + 8));
            reports.fact(rank, "pass", R"({"loader":1,"pass":0,"collectives":3})", 500);
            const std::string after = R"("collectives":)" + std::to_string(3 + collectives) + "}";
            if (trains)
                reports.fact(rank, "pass", R"({"loader":0,"pass":2,)" + after, 900);
            else
                reports.fact(rank, "end", R"({"steps":4,)" + after, 900);
        }
        return reports.diagnosis();
    };
    for (const bool trains : {false, true}) {
        CHECK(accusations(with(0, trains)) == std::vector<std::string>{"metrics-not-combined"});
        CHECK(accusations(with(1, trains)).empty());
    }
    CHECK(findingOf(with(0, false), "metrics-not-combined").text ==
          "Each of 2 ranks evaluates its own part of 16 samples, and no collective combines the results: the metric of "
          "a rank covers 8 of them.");
}

TEST_CASE("a loader whose batches the script may keep in memory is not reported as an evaluation") {
    const auto with = [](bool evaluates) {
        Reports reports = healthyDdp();
        reports.facts("loader", loaderFacts(1, kDistributedSampler, kData));
        for (int rank = 0; rank < 2; ++rank) {
            reports.evaluatedPass(rank, 1, 0, range(8 * rank, 8 * rank + 8), evaluates);
            reports.fact(rank, "pass", R"({"loader":1,"pass":0,"collectives":3})", 500);
            reports.fact(rank, "end", R"({"steps":4,"collectives":3})", 900);
        }
        return accusations(reports.diagnosis());
    };
    CHECK(with(true) == std::vector<std::string>{"metrics-not-combined"});
    CHECK(with(false).empty());
}

TEST_CASE("a loader without a DistributedSampler needs no whole epoch to be found") {
    Reports reports = healthyDdp(kRandomSampler, kData);
    for (int rank = 0; rank < 2; ++rank) reports.trained(rank, 0, 0, 1, 0, {4 * rank, 4 * rank + 1});
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"every-rank-reads-everything"});
}

TEST_CASE("samples that a DistributedSampler evaluates twice are noted") {
    Reports reports = healthyDdp();
    const std::string odd = R"({"class":"T","object":3,"length":15,"content_crc32":[7]})";
    reports.facts("loader", loaderFacts(1, kDistributedSampler, odd));
    reports.evaluatedPass(0, 1, 0, range(0, 8)).evaluatedPass(1, 1, 0, {8, 9, 10, 11, 12, 13, 14, 0});
    CHECK(findingOf(reports.diagnosis(), "validation-padded").text ==
          "The evaluation counts 1 sample of 15 twice, because DistributedSampler gives each rank the same number of "
          "samples.");
    Reports even = healthyDdp();
    even.facts("loader", loaderFacts(1, kDistributedSampler, kData));
    even.evaluatedPass(0, 1, 0, range(0, 8)).evaluatedPass(1, 1, 0, range(8, 16));
    CHECK(resultOf(even.diagnosis(), "validation-padded") == "passed");
}

TEST_CASE("ranks and workers that read the same stream are found by content") {
    const std::string stream = R"({"class":"Stream","object":1})";
    Reports reports = healthyDdp(R"({"class":"torch.utils.data.dataloader._InfiniteConstantSampler"})", stream);
    reports.facts("pass", R"({"loader":0,"pass":0})");
    reports.facts("content", R"({"loader":0,"pass":0,"batch":0,"sample_crc32":[1,2,3,4]})");
    reports.facts("pass_end", R"({"loader":0,"pass":0,"why":"exhausted","trained":1,"untrained":0,"epoch":0})");
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"every-rank-reads-everything"});

    Reports workers(1);
    workers.facts("loader", loaderFacts(0, "{}", stream, R"(,"num_workers":2)"));
    workers.facts("pass", R"({"loader":0,"pass":0})");
    workers.facts("content", R"({"loader":0,"pass":0,"batch":0,"sample_crc32":[1,2,3,4]})");
    Reports divided = workers;
    workers.facts("content", R"({"loader":0,"pass":0,"batch":1,"sample_crc32":[1,2,3,4]})");
    divided.facts("content", R"({"loader":0,"pass":0,"batch":1,"sample_crc32":[5,6,7,8]})");
    CHECK(findingOf(workers.diagnosis(), "workers-repeat-samples").text ==
          "Batches 1 and 2 of rank 0 hold the same samples: each of the 2 workers reads the whole IterableDataset.");
    CHECK(resultOf(divided.diagnosis(), "workers-repeat-samples") == "passed");
}
