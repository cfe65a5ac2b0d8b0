// SPDX-License-Identifier: Apache-2.0
// Tests of settings that are valid individually but contradict each other.
#include "config/leaves.h"
#include "config/mesh.h"
#include "config/nearest_word.h"
#include "config/optimizer_state.h"
#include "config/sampler_kind.h"
#include "support/catch.h"

using namespace ringside;

namespace {

using Texts = std::vector<std::string>;

RunConfig configWith(const Texts& assignments) {
    RunConfig config;
    for (const std::string& one : assignments) {
        INFO(one);
        REQUIRE(config.set(one).empty());
    }
    return config;
}

// Returns the problems of the assignments, one per line.
std::string problemsWith(const Texts& assignments) {
    std::string text;
    for (const Problem& problem : configWith(assignments).validate()) text += problem.text() + "\n";
    return text;
}

}  // namespace

TEST_CASE("synthetic data has a maximum number of values and at least one sample of each class") {
    // 2^28 values: features and target of each sample.
    CHECK(problemsWith({"dataset.kind=synthetic", "dataset.targets=1", "dataset.size=2097152", "dataset.features=127"})
              .empty());
    CHECK(
        problemsWith({"dataset.kind=synthetic", "dataset.targets=1", "dataset.size=2097152", "dataset.features=128"}) ==
        "dataset.size is 2097152, which requires 270532608 random numbers; the maximum is 268435456: use fewer samples "
        "or fewer features and targets\n");
    CHECK(problemsWith({"dataset.kind=synthetic", "dataset.shape=blobs", "dataset.size=2097152", "dataset.features=128",
                        "dataset.targets=5"})
              .empty());  // targets belong to regression only
    CHECK(
        problemsWith({"dataset.kind=synthetic", "dataset.shape=blobs", "dataset.size=9", "dataset.classes=9"}).empty());
    CHECK_THAT(problemsWith({"dataset.kind=synthetic", "dataset.shape=blobs", "dataset.size=8", "dataset.classes=9"}),
               containing("dataset.classes is 9, but there are only 8 samples"));
    CHECK(problemsWith({"dataset.kind=synthetic", "dataset.size=8", "dataset.classes=9"}).empty());
    CHECK(problemsWith({"dataset.kind=synthetic", "dataset.shape=imagenet", "dataset.size=8", "dataset.classes=9"})
              .empty());
}

TEST_CASE("files need a path, and built-in data does not") {
    for (const std::string kind : {"idx", "npy", "cifar10", "cifar100", "image_folder"})
        CHECK_THAT(problemsWith({"dataset.kind=" + kind}),
                   containing("a data set of the kind " + kind + " needs one: name the file or directory"));
    for (const std::string kind : {"digits", "synthetic", "external"})
        CHECK(problemsWith({"dataset.kind=" + kind}).empty());
    CHECK(problemsWith({"dataset.kind=csv", "dataset.path=a.csv"}).empty());
}

TEST_CASE("a loss fits the data: mse for numbers, cross_entropy for classes") {
    for (const Texts& classes : {Texts{}, Texts{"dataset.kind=cifar10", "dataset.path=a"},
                                 Texts{"dataset.kind=image_folder", "dataset.path=a"},
                                 Texts{"dataset.kind=synthetic", "dataset.shape=spirals"}}) {
        Texts wrong = classes;
        wrong.emplace_back("training.loss=mse");
        CHECK_THAT(problemsWith(wrong), containing("training.loss is mse, but "));
        wrong.back() = "training.loss=cross_entropy";
        CHECK(problemsWith(wrong).empty());
    }
    // A data set from a table can have classes or numeric targets, so both losses are valid.
    for (const std::string loss : {"mse", "cross_entropy"})
        CHECK(problemsWith({"dataset.kind=csv", "dataset.path=a", "training.loss=" + loss}).empty());
    CHECK(problemsWith({"dataset.kind=synthetic", "training.loss=mse"}).empty());
    CHECK_THAT(problemsWith({"dataset.kind=synthetic", "training.loss=cross_entropy"}),
               containing("synthetic data has numbers to predict"));
}

TEST_CASE("a transformer reads texts, and its heads divide its width") {
    CHECK(problemsWith({"dataset.kind=text", "model.kind=transformer", "model.width=12", "model.heads=4"}).empty());
    CHECK(problemsWith({"dataset.kind=text", "model.kind=transformer", "model.width=12", "model.heads=5"}) ==
          "model.heads is 5, which does not divide the width 12: choose a width that is a multiple of model.heads\n");
    CHECK(problemsWith({"model.kind=transformer"}) ==
          "model.kind is transformer, but the data set is not a text: set dataset.kind to text, or choose "
          "another model.kind\n");
    CHECK_THAT(problemsWith({"dataset.kind=text"}), containing("model.kind is mlp, but a text data set predicts each"));
    CHECK(problemsWith({"dataset.kind=text", "model.kind=layers", R"(model.layers=[{"kind": "linear"}])"}).empty());
    CHECK(problemsWith({"model.width=12", "model.heads=5"}).empty());
}

TEST_CASE("options of workers need workers, and nesterov needs momentum without dampening") {
    CHECK(problemsWith({"loader.num_workers=1", "loader.prefetch_factor=3", "loader.persistent_workers=true"}).empty());
    CHECK_THAT(problemsWith({"loader.persistent_workers=true"}), containing("persistent_workers option needs"));
    CHECK(problemsWith({"optimizer.nesterov=true"}).empty());
    const std::string nesterov = "optimizer.nesterov is true, which needs momentum above 0 and dampening 0";
    CHECK_THAT(problemsWith({"optimizer.nesterov=true", "optimizer.momentum=0"}), containing(nesterov));
    CHECK_THAT(problemsWith({"optimizer.nesterov=true", "optimizer.dampening=0.5"}), containing(nesterov));
    CHECK(problemsWith({"optimizer.nesterov=true", "optimizer.momentum=0", "optimizer.kind=adam"}).empty());
    CHECK(problemsWith({"schedule.eta_min=0.5"}).empty());
    CHECK(problemsWith({"schedule.kind=cosine", "schedule.eta_min=0.1"}).empty());
    RunConfig deep;
    deep.model.hidden.assign(64, 1);
    CHECK(deep.validate().empty());
    CHECK_THAT(problemsWith({"parallel.device=cpu", "training.precision=bf16"}),
               containing("training.precision is bf16, which the CPU does not support"));
    CHECK(problemsWith({"parallel.device=cuda", "training.precision=bf16"}).empty());
}

TEST_CASE("training runs at most 64 ranks, and not on the data of a watched script") {
    CHECK(configWith({"parallel.world_size=4096"}).validateForTraining().size() == 1);
    RunConfig external = configWith({"dataset.kind=external"});
    REQUIRE(external.validateForTraining().size() == 1);
    CHECK(external.validateForTraining().front().field == "dataset.kind");
    RunConfig tooMany;
    tooMany.parallel.worldSize = 4097;
    CHECK(tooMany.validateForTraining().size() == 1);  // only the problem of the field's own limit, no contradiction
}

TEST_CASE("the throttle slows down processes on the CPU only") {
    CHECK(problemsWith({"parallel.pace.gflops=5"}).empty());
    CHECK_THAT(problemsWith({"parallel.pace.gflops=5", "parallel.device=cuda"}),
               containing("throttles ranks on the CPU, but parallel.device is cuda"));
    CHECK_THAT(problemsWith({"parallel.pace.latency_us=5", "parallel.strategy=data_parallel"}),
               containing("but data_parallel uses one process with several threads"));
}

TEST_CASE("a mesh has as many ranks as the run and only the dimensions of its strategy") {
    CHECK(meshOf(configWith({"parallel.world_size=6", "mesh.replicate=4"})) == Mesh{4, 1, 1});
    // 4 does not divide 6.
    CHECK(meshOf(configWith({"parallel.strategy=fsdp", "parallel.world_size=6", "mesh.replicate=4"})) == Mesh{4, 1, 1});
    CHECK(meshOf(configWith({"parallel.strategy=data_parallel"})) == Mesh{});
    CHECK(problemsWith({"parallel.strategy=fsdp", "parallel.world_size=4", "mesh.pipeline=2"}) ==
          "parallel.strategy is fsdp, but the mesh has 2 pipeline ranks: set parallel.strategy to pipeline, whose "
          "stages are sharded by mesh.shard\n");
    CHECK_THAT(problemsWith({"parallel.world_size=4", "mesh.replicate=2", "mesh.pipeline=2"}),
               containing("parallel.strategy is ddp, but the mesh is 2 x 1 x 2 (replicate x shard x pipeline): set "
                          "parallel.strategy to pipeline"));
    CHECK(problemsWith({"parallel.strategy=data_parallel", "mesh.replicate=2"}) ==
          "mesh is set, but data_parallel is one process and has no mesh of ranks: set the three numbers of mesh "
          "to 0, or parallel.strategy to ddp\n");
    CHECK(problemsWith({"parallel.strategy=data_parallel", "mesh.replicate=1", "mesh.shard=1", "mesh.pipeline=1"})
              .empty());
    CHECK(problemsWith({"parallel.strategy=data_parallel", "parallel.device=cuda"}).empty());
    CHECK_THAT(problemsWith({"parallel.strategy=data_parallel", "training.precision=bf16", "parallel.device=cuda"}),
               containing("which computes only in fp32 for now"));
    CHECK(problemsWith({"parallel.strategy=data_parallel", "training.reduction=canonical"}).empty());
    CHECK_THAT(
        problemsWith({"parallel.strategy=data_parallel", "training.reduction=canonical", "parallel.device=cuda"}),
        containing("training.reduction is canonical, which data_parallel supports only on CPUs"));
    CHECK_THAT(problemsWith({"parallel.strategy=fsdp", "training.precision=bf16"}),
               containing("training.precision is bf16, which only ddp supports"));
    CHECK_THAT(problemsWith({"parallel.strategy=pipeline", "parallel.world_size=2", "training.precision=bf16"}),
               containing("training.precision is bf16, which only ddp supports"));
    CHECK(problemsWith({"parallel.find_unused_parameters=true"}).empty());
    CHECK_THAT(problemsWith({"parallel.strategy=fsdp", "parallel.find_unused_parameters=true"}),
               containing("which only ddp supports: under fsdp missing gradients are zero in any case"));
}

TEST_CASE("data_parallel has as many devices as are set, or as many as ranks") {
    const RunConfig own = configWith({"parallel.strategy=data_parallel", "parallel.devices=3"});
    CHECK((devicesOf(own) == 3 && withProcessesAsRanks(own).parallel.worldSize == 1 &&
           withProcessesAsRanks(own).parallel.devices == 3));
    const RunConfig ranks = configWith({"parallel.strategy=data_parallel", "parallel.world_size=5"});
    CHECK((devicesOf(ranks) == 5 && withProcessesAsRanks(ranks).parallel.devices == 5));
    const RunConfig ddp = configWith({"parallel.devices=3"});
    CHECK((devicesOf(ddp) == 1 && withProcessesAsRanks(ddp) == ddp));
}

TEST_CASE("micro-batches and stages are those of the strategy and the schedule") {
    const Texts pipeline = {"parallel.strategy=pipeline", "parallel.world_size=2", "pipeline.micro_batches=8"};
    CHECK(microBatchesOf(configWith(pipeline)) == 8);
    CHECK(microBatchesOf(configWith({"parallel.strategy=model_parallel", "parallel.world_size=2"})) == 1);
    CHECK(microBatchesOf(configWith({"pipeline.micro_batches=8"})) == 1);  // without stages the setting has no effect
    CHECK(stagesPerRank(configWith({"pipeline.stages_per_rank=3"})) == 3);
    CHECK(stagesPerRank(configWith({"parallel.strategy=model_parallel", "pipeline.stages_per_rank=3"})) == 1);
    const RunConfig one = configWith({"pipeline.stages_per_rank=1"});
    CHECK(stagesPerRankFor(PipelineScheduleKind::kInterleaved, one) == 2);
    CHECK(stagesPerRankFor(PipelineScheduleKind::kZeroBubble, one) == 1);
    const RunConfig three = configWith({"pipeline.stages_per_rank=3"});
    CHECK(stagesPerRankFor(PipelineScheduleKind::kInterleaved, three) == 3);
    CHECK(stagesPerRankFor(PipelineScheduleKind::kZeroBubble, three) == 3);
    CHECK(stagesPerRankFor(PipelineScheduleKind::kGpipe, three) == 1);
}

TEST_CASE("a pipeline's micro-batches fill its schedule") {
    const auto problems = [](const Texts& more) {
        Texts all = {"parallel.strategy=pipeline", "parallel.world_size=4", "loader.batch_size=60"};
        all.insert(all.end(), more.begin(), more.end());
        return problemsWith(all);
    };
    CHECK(problems({"pipeline.micro_batches=4"}).empty());
    CHECK(problems({"pipeline.micro_batches=3"}) ==
          "pipeline.micro_batches is 3, but 1f1b on 4 stages needs at least one micro-batch for each "
          "stage: use 4 or more, or gpipe\n");
    CHECK(problems({"pipeline.micro_batches=3", "pipeline.schedule=gpipe"}).empty());
    CHECK(problems({"pipeline.micro_batches=60"}).empty());
    CHECK(
        problems({"pipeline.schedule=interleaved", "pipeline.stages_per_rank=2", "pipeline.micro_batches=3"}).empty());
    CHECK(problems({"pipeline.schedule=interleaved", "pipeline.stages_per_rank=2", "pipeline.micro_batches=15"}) == "");
    CHECK(problems({"loader.batch_size=14", "pipeline.schedule=zero_bubble", "pipeline.micro_batches=14"}) ==
          "pipeline.micro_batches is 14, which zero_bubble cannot split into 3 equal rounds on 4 ranks: use 12 or "
          "15\n");
    CHECK_THAT(problems({"pipeline.schedule=gpipe", "pipeline.stages_per_rank=2"}),
               containing("pipeline.stages_per_rank is 2, but gpipe has one stage on each rank"));
    CHECK(problems({"pipeline.schedule=interleaved", "pipeline.stages_per_rank=2", "pipeline.split=[1,1,1,1,1,1,1,1]"})
              .empty());
    CHECK_THAT(problems({"pipeline.split=[1,1,1]"}), containing("has 3 entries for 4 stages"));
    CHECK(problems({"pipeline.split=[1,1,1]", "pipeline.schedule_file=own.csv"}).empty());
    CHECK_THAT(problems({"pipeline.micro_batches=7"}), containing("use 6 or 10, or a loader.batch_size of 63"));
    // With model_parallel, each rank has one stage, and batches are not divided into micro-batches.
    CHECK(problemsWith({"parallel.strategy=model_parallel", "parallel.world_size=2", "pipeline.micro_batches=7",
                        "pipeline.stages_per_rank=2"})
              .empty());
    CHECK_THAT(problemsWith({"parallel.strategy=model_parallel", "parallel.world_size=2", "pipeline.split=[1,1,1]"}),
               containing("has 3 entries for 2 stages"));
}

TEST_CASE("shards in host memory need shards") {
    const Texts offload = {"fsdp.cpu_offload=true", "parallel.device=cuda", "parallel.world_size=2"};
    CHECK(problemsWith(offload).empty());
    CHECK(problemsWith({"fsdp.cpu_offload=true", "parallel.strategy=fsdp"}).empty());
}

TEST_CASE("a canonical reduction has a power of two of leaves, which its ranks share") {
    const auto problems = [](const Texts& more) {
        Texts all = {"training.reduction=canonical"};
        all.insert(all.end(), more.begin(), more.end());
        return problemsWith(all);
    };
    CHECK(problems({"training.leaves=8", "parallel.world_size=8"}).empty());
    CHECK(problems({"training.leaves=1", "parallel.world_size=1"}).empty());
    CHECK(problems({"training.leaves=6"}) == "training.leaves is 6, which is not a power of two: use 4 or 8\n");
    CHECK(problems({"training.leaves=4", "parallel.world_size=8"}) ==
          "training.leaves is 4, which 8 ranks that read samples cannot share evenly: use 8 or more\n");
    CHECK(problems({"training.leaves=8", "parallel.world_size=3"}) ==
          "training.leaves is 8, which 3 ranks that read samples cannot share evenly: use 1, 2, 4 or 8 devices or "
          "ranks that read samples\n");
    CHECK(problems({"training.leaves=8", "parallel.strategy=data_parallel", "parallel.devices=3"}) ==
          "training.leaves is 8, which 3 devices cannot share evenly: use 1, 2, 4 or 8 devices or ranks that read "
          "samples\n");
    CHECK_THAT(problems({"training.leaves=8", "parallel.strategy=pipeline", "parallel.world_size=2",
                         "pipeline.micro_batches=16"}),
               containing("pipeline.micro_batches is 16, but under training.reduction canonical a rank's batch has 8 "
                          "parts (training.leaves), which are the micro-batches: use 8 or a power of two below"));
    CHECK(problems({"training.leaves=8", "training.accumulate_steps=1"}).empty());
    CHECK_THAT(problems({"training.accumulate_steps=2"}), containing("training.accumulate_steps is 2, but"));
    CHECK_THAT(problems({"sampler.kind=contiguous"}), containing("the sampler contiguous assigns them in another way"));
    CHECK(leavesPerRank(configWith({"training.leaves=8"})) == 1);
    CHECK(leavesPerRank(configWith({"training.reduction=canonical", "training.leaves=8", "parallel.world_size=2"})) ==
          4);
    CHECK(leavesPerRank(configWith({"training.reduction=canonical", "training.leaves=2", "parallel.world_size=8"})) ==
          1);
    CHECK((bitsReversed(1, 8) == 4 && bitsReversed(3, 8) == 6 && bitsReversed(0, 1) == 0 && bitsReversed(6, 8) == 3));
}

TEST_CASE("the nearest word is at most a third of the word away") {
    const Texts words = {"learning_rate", "seed", "abc"};
    CHECK(nearestWord("laerning_rate", words) == "learning_rate");  // neighbours swapped
    CHECK(nearestWord("lxarnxngxrate", words) == "learning_rate");  // 3 of 13
    CHECK(nearestWord("lxarnxngxrxte", words) == "learning_rate");  // 4 of 13
    CHECK(nearestWord("lxaxnxngxrxte", words).empty());             // 5 of 13
    CHECK(nearestWord("sxxd", words) == "seed");                    // 2 of 4
    CHECK(nearestWord("sxxx", words).empty());
    CHECK(nearestWord("abx", words) == "abc");  // 1 of 3
    CHECK(nearestWord("axx", words).empty());
    CHECK(nearestWord("xabc", words) == "abc");
    CHECK(nearestWord("ac", words) == "abc");
    CHECK(nearestWord("rat", words) == "learning_rate");  // a substring with at least three letters
    CHECK(nearestWord("ra", words).empty());
    CHECK(nearestWord("", words).empty());
    const std::string longest(64, 'a');
    CHECK(nearestWord(longest, Texts{longest}) == longest);
    CHECK(nearestWord(longest + "a", Texts{longest + "a"}).empty());
    // The first of equally near words, and the nearer one of two.
    CHECK(nearestWord("abcd", Texts{"abcx", "abxd"}) == "abcx");
    CHECK(nearestWord("abcd", Texts{"abxy", "abcx"}) == "abcx");
}

TEST_CASE("each sampler is found by its name") {
    for (std::size_t kind = 0; kind < samplerNames().size(); ++kind) {
        const auto sampler = static_cast<SamplerKind>(kind);
        CHECK(samplerNamed(samplerName(sampler)) == sampler);
        CHECK(takesDropLast(sampler) == !(isReplicated(sampler) || sampler == SamplerKind::kUnpadded));
        CHECK(samplerSentence(sampler).ends_with("."));
    }
    CHECK_FALSE(samplerNamed("none"));
    CHECK((!usesSetEpoch(SamplerKind::kSequential) && !usesSetEpoch(SamplerKind::kRandom)));
    CHECK((usesSetEpoch(SamplerKind::kDistributed) && usesSetEpoch(SamplerKind::kSubset)));
}

TEST_CASE("optimizers of one family have the same state, with PyTorch's names") {
    OptimizerConfig sgd;
    CHECK((stateTensors(sgd).size() == 1 && stateTensors(sgd)[0] == "momentum_buffer"));
    sgd.momentum = 0;
    CHECK(stateTensors(sgd).empty());
    sgd.kind = OptimizerKind::kAdam;
    CHECK((stateTensors(sgd).size() == 2 && stateTensors(sgd)[0] == "exp_avg" && stateTensors(sgd)[1] == "exp_avg_sq"));
    CHECK(haveSameState(OptimizerKind::kAdam, OptimizerKind::kAdamW));
    CHECK(haveSameState(OptimizerKind::kSgd, OptimizerKind::kSgd));
    CHECK_FALSE(haveSameState(OptimizerKind::kSgd, OptimizerKind::kAdamW));
    CHECK((torchClass(OptimizerKind::kSgd) == "SGD" && torchClass(OptimizerKind::kAdam) == "Adam"));
    CHECK(torchClass(OptimizerKind::kAdamW) == "AdamW");
}

TEST_CASE("texts and lists end at their limits") {
    RunConfig config;
    CHECK(config.set("name=" + std::string(4096, 'a')).empty());
    CHECK(config.set("name=" + std::string(4097, 'a')).front().text() ==
          "name has 4097 bytes; the limit is 4096: shorten the text");
    std::string list = "1";
    for (int i = 1; i < 1000; ++i) list += ",1";
    CHECK(config.set("sampler.class_weights=" + list).empty());
    CHECK(config.sampler.classWeights.size() == 1000);
    CHECK(config.set("sampler.class_weights=" + list + ",1").front().message == "has 1001 entries; the limit is 1000");
    // A list of layers whose stored JSON text has 65,536 bytes. Surrounding and inner spaces do not count, because the
    // stored text omits them.
    const std::string layer = R"([{"kind":")";
    const std::string layers = layer + std::string(65'536 - layer.size() - 3, 'a') + R"("}])";
    REQUIRE(layers.size() == 65'536);
    CHECK(config.set("model.layers=" + layers).empty());
    CHECK_THAT(config.set("model.layers=" + layers.substr(0, 10) + "b" + layers.substr(10)).front().text(),
               containing("has 65537 bytes; the limit is 65536"));
    CHECK(config.set("model.layers=[]").empty());
    CHECK(config.model.layers.empty());
    // A value in a message has 60 bytes at most and ends between characters.
    const auto shown = [](const std::string& text) {
        return RunConfig().set("loader.batch_size=\"" + text + "\"").front().message;
    };
    CHECK(shown(std::string(58, 'a')) == "is \"" + std::string(58, 'a') + "\"; it must be a whole number");
    CHECK(shown(std::string(59, 'a')) == "is \"" + std::string(56, 'a') + "...; it must be a whole number");
    CHECK(shown(std::string(55, 'a') + "\xc3\xa4" + "bcd") ==
          "is \"" + std::string(55, 'a') + "...; it must be a whole number");
    CHECK(
        RunConfig().set("loader.batch_size=9223372036854775808").front().message.find("at most 9223372036854775807") !=
        std::string::npos);
    CHECK(RunConfig().set("sampler.seed=9223372036854775807").empty());
}

TEST_CASE("an unknown setting is answered with the nearest one or with the list of settings") {
    const auto refusal = [](const std::string& path) { return RunConfig().set(path + "=1").front().text(); };
    CHECK(refusal("loader.batchsize") == "loader.batchsize is not known: did you mean loader.batch_size?");
    CHECK_THAT(refusal("qqqqqq.wwwwww"), containing("is not known: the sections are "));
    CHECK_THAT(refusal("loader.wwwwwwwwwwww"),
               containing("is not known: the keys of this section are batch_size, drop_last, "));
    CHECK(refusal("qq.momentum") ==
          "qq.momentum is not known: the sections are dataset, model, parallel, "
          "parallel.pace, sampler, pitfalls, loader, mesh, pipeline, fsdp, optimizer, "
          "schedule, training, telemetry");
    CHECK(refusal("momentum") == "momentum is not known: did you mean optimizer.momentum?");
}

TEST_CASE("two swapped letters are one mistake") {
    CHECK(nearestWord("acb", Texts{"abc"}) == "abc");
    CHECK(nearestWord("bac", Texts{"abc"}) == "abc");
    CHECK(nearestWord("bca", Texts{"abc"}).empty());
}
