// SPDX-License-Identifier: Apache-2.0
#include "config/run_config.h"

#include "base/json/json.h"
#include "config/config_fields.h"
#include "config/nearest_word.h"
#include "support/catch.h"

using namespace ringside;

namespace {

Result<RunConfig> read(const char* text) {
    return RunConfig::fromJson(parseJson(text, "test").value());
}

std::string refusal(const char* text) {
    return read(text).problem().text();
}

std::string setRefusal(const std::string& assignment) {
    RunConfig config;
    const Problems problems = config.set(assignment);
    CHECK(config == RunConfig());
    REQUIRE(problems.size() == 1);
    return problems.front().text();
}

}  // namespace

TEST_CASE("defaults that are written and read back are unchanged") {
    const RunConfig defaults;
    CHECK(RunConfig::fromJson(defaults.toJson()).value() == defaults);
    CHECK(read("{}").value() == defaults);
    CHECK(read("{\"version\": 1}").value() == defaults);
}

TEST_CASE("every field that is written and read back is unchanged") {
    RunConfig config;
    config.name = "täst \"quoted\"";
    config.dataset = {DatasetKind::kCsv,
                      "a b.csv",
                      "label",
                      CsvHeader::kYes,
                      MissingCells::kMean,
                      0.25,
                      -3,
                      7,
                      8,
                      9,
                      10,
                      "labels.npy",
                      64,
                      SyntheticShape::kBlobs,
                      5};
    config.model = {ModelKind::kLayers, {32, 16}, R"([{"kind":"linear","out":7},{"kind":"relu"}])"};
    config.parallel = {StrategyKind::kDdp, 8, CollectiveBackend::kGloo, DeviceChoice::kCpu, 12.5, 0.5, 90};
    config.sampler = {SamplerKind::kSubset, false, INT64_MIN, true, false, 50, {1, 0, 9}, 0.25, -8, {4, 2}};
    config.pitfalls = {true, true, 3, 9, true};
    config.loader = {64, true};
    config.optimizer = {OptimizerKind::kAdamW, 0.05, 0.5, 0.125, 1e-4, true, 0.8, 0.95, 1e-6, 1.5,
                        RateScaling::kLinear,  256};
    config.schedule = {RateScheduleKind::kCosine, 4, 0.5, 7, 1e-5, 2, 0.125};
    config.training = {3, 4, INT64_MAX, LossKind::kMse, 7, Recompute::kBlocks, ValidationMode::kPadded, 5, 2, 60};
    config.telemetry = {TraceLevel::kLayers, 50, 400};
    const Json json = parseJson(config.toText(), "test").value();
    CHECK(RunConfig::fromJson(json).value() == config);
}

TEST_CASE("a nested section is read and set, and its unknown keys are named") {
    Problems problems;
    const auto read = [&](const char* text) { return RunConfig::parse(text, "test", &problems); };
    const Result<RunConfig> throttled = read(R"({"parallel": {"pace": {"gflops": 2, "latency_us": 50}}})");
    REQUIRE(throttled.ok());
    CHECK(throttled.value().parallel.throttle == ThrottleConfig{2, 0, 50});
    RunConfig config;
    CHECK(config.set("parallel.pace.gbit_per_s=1.5").empty());
    CHECK(config.parallel.throttle.gbitPerSecond == 1.5);
    CHECK_FALSE(read(R"({"parallel": {"pace": {"gflop": 2}}})").ok());
    CHECK(problems.front().text().find("did you mean parallel.pace.gflops?") != std::string::npos);
    CHECK_FALSE(read(R"({"parallel": {"pace": 5}})").ok());
    CHECK(problems.front().text().find("it must be a section") != std::string::npos);
    CHECK_FALSE(read(R"({"parallel": {"pase": {}}})").ok());
    CHECK(problems.front().text().find("did you mean parallel.pace?") != std::string::npos);
    CHECK(config.set("parallel.pace.gflops=-1").empty());
    CHECK(config.validate().front().text().find("the minimum is 0") != std::string::npos);
}

TEST_CASE("the JSON form has all keys in the documented order") {
    const Json json = RunConfig().toJson();
    std::vector<std::string> sections;
    for (const auto& [key, value] : json.items()) sections.push_back(key);
    CHECK(sections == std::vector<std::string>{"version", "name", "dataset", "model", "parallel", "sampler", "pitfalls",
                                               "loader", "mesh", "pipeline", "fsdp", "optimizer", "schedule",
                                               "training", "telemetry"});
    CHECK(json["sampler"].dump() ==
          R"({"kind":"distributed","shuffle":true,"seed":0,"drop_last":false,"set_epoch":true,"num_samples":0,)"
          R"("class_weights":[],"subset_fraction":0.5,"subset_seed":0,"subset_indices":[]})");
    CHECK(json["pitfalls"].dump() ==
          R"({"seed_per_rank":false,"double_sharding":false,"wrong_rank":-1,"wrong_world_size":0,)"
          R"("shuffle_with_sampler":false,"slow_rank":-1,"slow_phase":"backward","slow_ms":50.0,)"
          R"("early_exit":false,"sum_gradients":false,"local_metrics":false})");
    CHECK(json["parallel"]["pace"].dump() == R"({"gflops":0.0,"gbit_per_s":0.0,"latency_us":0.0})");
    CHECK(json["loader"].dump() ==
          R"({"batch_size":32,"drop_last":false,"num_workers":0,"prefetch_factor":2,"pin_memory":false,)"
          R"("persistent_workers":false,"random_crop_padding":0,"horizontal_flip":false,)"
          R"("normalize":false})");
    CHECK(json["model"].dump() ==
          R"({"kind":"mlp","hidden":[128],"width":64,"depth":2,"heads":4,"dropout":0.0,"layers":[]})");
}

TEST_CASE("unknown keys name the nearest known one") {
    CHECK(refusal(R"({"parallel": {"wrold_size": 4}})") ==
          "parallel.wrold_size is not known: did you mean parallel.world_size?");
    CHECK(refusal(R"({"paralel": {"world_size": 4}})") == "paralel is not known: did you mean parallel?");
    CHECK(refusal(R"({"training": {"batch_size": 4}})") ==
          "training.batch_size is not known: did you mean loader.batch_size?");
    CHECK(refusal(R"({"loader": {"batchSize": 4}})") ==
          "loader.batchSize is not known: did you mean loader.batch_size?");
    CHECK(refusal(R"({"world-size": 4})") == "world-size is not known: did you mean parallel.world_size?");
    CHECK(
        refusal(R"({"model": {"zzzzzzzz": 4}})") ==
        "model.zzzzzzzz is not known: the keys of this section are kind, hidden, width, depth, heads, dropout, layers");
}

TEST_CASE("wrong types are reported with the right type") {
    CHECK(refusal(R"({"parallel": {"world_size": "four"}})") ==
          "parallel.world_size is \"four\"; it must be a whole number: write the number without quotes, point or "
          "exponent");
    CHECK_FALSE(read(R"({"parallel": {"world_size": 4.0}})").ok());
    CHECK_FALSE(read(R"({"parallel": {"world_size": 1e2}})").ok());
    CHECK_FALSE(read(R"({"parallel": {"world_size": true}})").ok());
    CHECK_FALSE(read(R"({"parallel": {"world_size": null}})").ok());
    CHECK(refusal(R"({"sampler": {"seed": 18446744073709551615}})") ==
          "sampler.seed is 18446744073709551615; it must be at most 9223372036854775807: use a smaller number");
    CHECK(refusal(R"({"sampler": {"shuffle": 1}})") ==
          "sampler.shuffle is 1; it must be true or false: write true or false, without quotes");
    CHECK(refusal(R"({"optimizer": {"lr": "0.1"}})") ==
          "optimizer.lr is \"0.1\"; it must be a number: write the number without quotes, as 0.1 or 1e-3");
    CHECK(refusal(R"({"model": {"hidden": [128, "x"]}})") ==
          "model.hidden is [128,\"x\"]; it must be a list of whole numbers: write the list as [128] or [128, 64]");
    CHECK(refusal(R"({"name": 3})") == "name is 3; it must be text: put the text in double quotes");
    CHECK(refusal(R"({"loader": 32})") == "loader is 32; it must be a section: write \"loader\": {...}");
    CHECK(refusal("[1]").find("the configuration is [1]; it must be an object") == 0);
    CHECK(read(R"({"optimizer": {"lr": 1}})").value().optimizer.lr == 1.0);
}

TEST_CASE("only version 1 is read") {
    CHECK(refusal(R"({"version": 2})") ==
          "version is 2; this program reads version 1: write \"version\": 1, or use the program that wrote the file");
    CHECK_FALSE(read(R"({"version": "1"})").ok());
    CHECK_FALSE(read(R"({"version": 1.0})").ok());
}

TEST_CASE("a list of layers is read and written as JSON, and kept as its text") {
    const auto config = read(R"({"model": {"kind": "layers", "layers": [{"kind": "relu"}, {"kind": "linear"}]}})");
    REQUIRE(config.ok());
    CHECK(config.value().model.layers == R"([{"kind":"relu"},{"kind":"linear"}])");
    CHECK(config.value().toJson()["model"]["layers"][1]["kind"] == "linear");
    CHECK(refusal(R"({"model": {"layers": "relu"}})").find("it must be a list of layers") != std::string::npos);
    RunConfig assigned;
    CHECK(assigned.set(R"(model.layers=[{"kind": "linear"}])").empty());
    CHECK(assigned.model.layers == R"([{"kind":"linear"}])");
}

TEST_CASE("all problems of a file are reported together") {
    Problems problems;
    const Json json = parseJson(R"({"nam": "x", "loader": {"batch_size": "a", "drop_last": 0}})", "test").value();
    CHECK_FALSE(RunConfig::fromJson(json, &problems).ok());
    CHECK(problems.size() == 3);
}

TEST_CASE("keys with a single supported value are accepted with this value only") {
    CHECK(read(R"({"loader": {"num_workers": 0, "prefetch_factor": 2, "pin_memory": false, "persistent_workers": false},
                   "training": {"accumulate_steps": 1},
                   "optimizer": {"betas": [0.9, 0.999], "eps": 1e-8}, "dataset": {"labels_path": ""}})")
              .value() == RunConfig());
    CHECK(read(R"({"loader": {"prefetch_factor": null}})").value() == RunConfig());  // PyTorch 2's default
    CHECK(refusal(R"({"optimizer": {"amsgrad": true}})") ==
          "optimizer.amsgrad is true; only false is accepted, because Adam divides by the running mean of the squares, "
          "not its maximum: omit the key");
}

TEST_CASE("a field is set from the command line, as JSON or as a bare word") {
    RunConfig config;
    CHECK(config.set("parallel.world_size=8").empty());
    CHECK(config.set("optimizer.lr=1e-3").empty());
    CHECK(config.set("sampler.shuffle=false").empty());
    CHECK(config.set("parallel.backend=gloo").empty());
    CHECK(config.set("name=\"two words\"").empty());
    CHECK(config.set("dataset.label_column=3").empty());
    CHECK(config.set("model.hidden=64,32").empty());
    CHECK(config.set("loader.num_workers=0").empty());
    CHECK(config.parallel.worldSize == 8);
    CHECK(config.optimizer.lr == 1e-3);
    CHECK_FALSE(config.sampler.shuffle);
    CHECK(config.parallel.backend == CollectiveBackend::kGloo);
    CHECK(config.name == "two words");
    CHECK(config.dataset.labelColumn == "3");
    CHECK(config.model.hidden == std::vector<std::int64_t>{64, 32});
    CHECK(config.set("model.hidden=[]").empty());
    CHECK(config.model.hidden.empty());
    CHECK(config.set("name=a=b").empty());
    CHECK(config.name == "a=b");
}

TEST_CASE("an invalid assignment changes nothing and reports the problem") {
    CHECK(setRefusal("parallel.world_sizes=8") ==
          "parallel.world_sizes is not known: did you mean parallel.world_size?");
    CHECK(setRefusal("paralel.world_size=8") == "paralel.world_size is not known: did you mean parallel.world_size?");
    CHECK(setRefusal("world_size=8") == "world_size is not known: did you mean parallel.world_size?");
    CHECK(setRefusal("nowhere.zzz=8").find("the sections are dataset, model") != std::string::npos);
    CHECK(setRefusal("parallel.world_size") ==
          "--set parallel.world_size has no value: write it as --set parallel.world_size=VALUE");
    CHECK(setRefusal("parallel.world_size=eight") ==
          "parallel.world_size is \"eight\"; it must be a whole number: write the number without quotes, point or "
          "exponent");
    CHECK(setRefusal("parallel.world_size=").find("it must be a whole number") != std::string::npos);
    CHECK(setRefusal("=8") ==
          "--set =8 does not contain the name of a setting: write it as --set loader.batch_size=64");
    CHECK(setRefusal("optimizer.amsgrad=true").find("only false is accepted") != std::string::npos);
    CHECK(setRefusal("version=2") == "version is the format of the file and not a setting: omit the key");
    CHECK(setRefusal("name=\xff\xfe").find("it must be UTF-8 text") != std::string::npos);
}

TEST_CASE("the nearest word is found despite typing errors") {
    const std::vector<std::string> words = {"shuffle", "seed", "drop_last"};
    CHECK(nearestWord("shufle", words) == "shuffle");
    CHECK(nearestWord("sede", words) == "seed");
    CHECK(nearestWord("DropLast", words) == "drop_last");
    CHECK(nearestWord("drop-last", words) == "drop_last");
    CHECK(nearestWord("drop", words) == "drop_last");
    CHECK(nearestWord("xyz", words).empty());
    CHECK(nearestWord("a", words).empty());
    CHECK(nearestWord(std::string(100000, 'a'), words).empty());
}

TEST_CASE("every epoch repeats the first order if set_epoch is never called") {
    RunConfig config;
    CHECK_FALSE(config.repeatsOrder());
    config.sampler.setEpoch = false;
    CHECK(config.repeatsOrder());
    config.training.epochs = 1;  // one epoch has no other epoch whose order it could repeat
    CHECK_FALSE(config.repeatsOrder());
    config.training.epochs = 2;
    config.sampler.shuffle = false;  // the order of the data set, as intended
    CHECK_FALSE(config.repeatsOrder());
    config.sampler.kind = SamplerKind::kDistributedWeighted;  // draws at random with and without shuffle
    CHECK(config.repeatsOrder());
    config.sampler.kind = SamplerKind::kRandom;  // the training loop reseeds it in each epoch
    config.sampler.shuffle = true;
    CHECK_FALSE(config.repeatsOrder());
}
