// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_comparison.h"

#include <cmath>

#include "base/json/json.h"
#include "base/system/files.h"
#include "run/read/bits_basis.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

// Run directory whose metrics.jsonl has these lines.
class RunFiles {
  public:
    explicit RunFiles(const std::string& metrics) { write("metrics.jsonl", metrics); }
    void write(const std::string& name, const std::string& content) const {
        writeFileAtomically(m_directory.path() / name, content);
    }
    RunRecord read() const {
        const Result<RunRecord> record = readRunRecord(m_directory.path());
        REQUIRE(record);
        return record.value();
    }
    std::string problem() const {
        const Result<RunRecord> record = readRunRecord(m_directory.path());
        if (!record) return record.problem().text();
        const Result<RunComparison> self = compareRuns(record.value(), record.value(), 0);
        REQUIRE_FALSE(self);
        return self.problem().text();
    }

  private:
    TemporaryDirectory m_directory;
};

std::string step(int number, const std::string& loss, int samples = 8) {
    return R"({"kind":"step","step":)" + std::to_string(number) + R"(,"epoch":0,"loss":)" + loss + R"(,"samples":)" +
           std::to_string(samples) + "}\n";
}

std::string epoch(const std::string& split, const std::string& loss, const std::string& accuracy) {
    return R"({"kind": "epoch", "epoch": 0, "split": ")" + split + R"(", "loss": )" + loss + R"(, "accuracy": )" +
           accuracy + "}\n";
}

RunComparison compared(const RunRecord& a, const RunRecord& b, double tolerance) {
    const Result<RunComparison> result = compareRuns(a, b, tolerance);
    REQUIRE(result);
    return result.value();
}

// Returns a line for several steps that were recorded together.
std::string window(int from, int last, const std::string& loss, int samples, const std::string& range) {
    return R"({"kind":"step","step":)" + std::to_string(last) + R"(,"loss":)" + loss + R"(,"samples":)" +
           std::to_string(samples) + R"(,"from":)" + std::to_string(from) + R"(,"steps":)" +
           std::to_string(last - from + 1) + range + "}\n";
}

}  // namespace

TEST_CASE("a run is equal to itself to the last bit") {
    const RunFiles run(step(1, "2.5") + step(2, "0.1") + epoch("val", "0.2", "0.9"));
    const RunComparison same = compared(run.read(), run.read(), 0);
    CHECK(same.equal());
    CHECK(same.steps == 2);
    CHECK(same.epochs == 1);
    CHECK_FALSE(same.firstApart);
    CHECK(same.largest.relative() == 0);
}

TEST_CASE("the factors of the last bits are compared, whether the bits differ or not") {
    const auto summary = [](const std::string& transport, const std::string& isa) {
        return R"({"bits_depend_on":{"transport":")" + transport + R"(","layout":"ddp","isa":["avx2",")" + isa +
               R"("]}})";
    };
    const RunFiles a(step(1, "2.5") + step(2, "0.1"));
    const RunFiles b(step(1, "2.5") + step(2, "0.1"));
    CHECK_FALSE(compared(a.read(), b.read(), 0).bitsOfA);
    CHECK_THAT(compared(a.read(), b.read(), 0).text(), !Catch::Matchers::Contains("bits depend on"));
    a.write("summary.json", summary("shm", "avx2"));
    CHECK_THAT(compared(a.read(), b.read(), 0).text(),
               Catch::Matchers::Contains("unknown for at least one of the runs"));
    b.write("summary.json", summary("shm", "avx2"));
    const RunComparison same = compared(a.read(), b.read(), 0);
    CHECK_THAT(same.text(),
               Catch::Matchers::Contains("the same in both: transport shm, layout ddp, instruction set avx2"));
    CHECK(same.toJson()["bits_depend_on"]["differences"].empty());
    b.write("summary.json", summary("gloo", "sse41"));
    const RunComparison equal = compared(a.read(), b.read(), 0);
    CHECK_THAT(equal.text(), Catch::Matchers::Contains("transport shm and gloo"));
    CHECK_THAT(equal.text(), Catch::Matchers::Contains("did not here"));
    CHECK(equal.toJson()["bits_depend_on"]["differences"].size() == 2);
    b.write("metrics.jsonl", step(1, "2.5") + step(2, "0.1000001"));
    CHECK_THAT(compared(a.read(), b.read(), 1).text(), Catch::Matchers::Contains("different last bits are expected"));
    b.write("metrics.jsonl", step(7, "2.5"));  // no step is in both
    const std::string apart = compared(a.read(), b.read(), 1).text();
    CHECK_THAT(apart, Catch::Matchers::Contains("These conditions can change the last bits\n"));
    CHECK_THAT(apart, !Catch::Matchers::Contains("did not here"));
}

TEST_CASE("ranks that differ in their instruction set are named, the rarest first") {
    CHECK(instructionSetWarning({"avx2"}).empty());
    CHECK(instructionSetWarning({"avx2", "avx2"}).empty());
    CHECK(instructionSetText({"avx2", "avx2"}) == "avx2 on each rank");
    CHECK(instructionSetText({"avx512_core", "avx2", "avx512_core"}) == "rank 1: avx2; rank 0 and 1 more: avx512_core");
    CHECK_THAT(instructionSetWarning({"avx2", "sse41"}), Catch::Matchers::Contains("ONEDNN_MAX_CPU_ISA"));
}

TEST_CASE("the first difference, the first beyond the tolerance and the largest difference are distinguished") {
    // 2 and 2.5: 0.5 / 2.5 = 0.2; 4 and 5: 0.2; 1 and 1.001: 0.001 / 1.001; 1 and 2: 0.5.
    const RunFiles a(step(1, "3") + step(2, "1") + step(3, "2") + step(4, "1"));
    const RunFiles b(step(1, "3") + step(2, "1.001") + step(3, "2.5") + step(4, "2"));
    const RunComparison result = compared(a.read(), b.read(), 0.01);
    CHECK_FALSE(result.equal());
    CHECK(result.firstApart->at == 2);
    CHECK(result.firstApart->relative() == Approx(0.001 / 1.001));
    CHECK(result.firstBeyond->at == 3);
    CHECK(result.firstBeyond->relative() == Approx(0.2));
    CHECK(result.largest.at == 4);
    CHECK(result.largest.relative() == Approx(0.5));
    CHECK(compared(a.read(), b.read(), 0.5).equal());
    CHECK(result.text().find("different from step 3") != std::string::npos);
}

TEST_CASE("steps that only one run has make runs different") {
    const RunFiles a(step(1, "1") + step(2, "1") + step(3, "1"));
    const RunFiles b(step(2, "1") + step(4, "1") + step(6, "1") + step(8, "1"));
    const RunComparison result = compared(a.read(), b.read(), 1);
    CHECK(result.steps == 1);
    CHECK(result.stepsOnlyA == 2);
    CHECK(result.stepsOnlyB == 3);
    CHECK_FALSE(result.equal());
    CHECK_FALSE(compared(a.read(), RunFiles(step(9, "1")).read(), 1).equal());
}

TEST_CASE("a resumed run is compared from its first step on") {
    const RunFiles whole(step(1, "4") + step(2, "3") + step(3, "2") + step(4, "1"));
    const RunFiles rest(step(3, "2") + step(4, "1"));
    CHECK_FALSE(compared(whole.read(), rest.read(), 0).equal());
    rest.write("config.json", R"({"training":{"resume":"runs/first"}})");
    const RunComparison result = compared(whole.read(), rest.read(), 0);
    CHECK(result.equal());
    CHECK(result.steps == 2);
    CHECK(result.firstStep == 3);
    CHECK(result.text().find("2 in both runs; from step 3 on, because one of the runs continues from a checkpoint") !=
          std::string::npos);
    CHECK(compared(rest.read(), whole.read(), 0).equal());
}

TEST_CASE("a watched run is compared up to the restart of its ranks, and is not reported as equal") {
    const RunFiles whole(step(1, "4") + step(2, "3") + step(3, "2") + step(4, "1"));
    const RunFiles restarted(step(1, "4") + step(2, "3") + step(3, "3") + step(4, "2") + step(5, "1"));
    const std::string restart = R"({"kind":"control","command":"restart","value":1,"step":2,"time_us":9})"
                                "\n";
    const std::string script = R"({"kind":"script","rank":0,"about":"process","facts":{},"time_us":1})"
                               "\n";
    restarted.write("telemetry.jsonl", script + restart);  // without a summary.json: the watcher was killed
    for (const RunComparison& result :
         {compared(whole.read(), restarted.read(), 0), compared(restarted.read(), whole.read(), 0),
          compared(restarted.read(), restarted.read(), 0)}) {
        CHECK(result.steps == 2);
        CHECK(result.stepsOnlyA + result.stepsOnlyB == 0);
        CHECK_FALSE(result.firstApart);
        CHECK_FALSE(result.equal());
        CHECK(result.text().find("the same losses up to the restart after step 2; the steps after it cannot be "
                                 "compared") != std::string::npos);
        CHECK(result.toJson()["last_step"] == 2);
    }
    // Ranks of Ringside train the steps after a checkpoint again under the same numbers: all steps are compared.
    restarted.write("telemetry.jsonl", restart);
    const RunComparison all = compared(whole.read(), restarted.read(), 0);
    CHECK(all.firstApart->at == 3);
    CHECK(all.toJson()["last_step"].is_null());
}

TEST_CASE("a difference before the restart makes runs different") {
    const RunFiles a(step(1, "4") + step(2, "3"));
    const RunFiles b(step(1, "4") + step(2, "5") + step(3, "3"));
    b.write("telemetry.jsonl", R"({"kind":"script","rank":0,"about":"process","facts":{},"time_us":1})"
                               "\n"
                               R"({"kind":"control","command":"restart","value":1,"step":2,"time_us":9})"
                               "\n");
    CHECK(compared(a.read(), b.read(), 1e-3).text().find("different from step 2") != std::string::npos);
}

TEST_CASE("NaN losses are equal only to NaN") {
    const RunFiles number(step(1, "1"));
    const RunFiles nothing(step(1, "null"));
    CHECK(compared(nothing.read(), nothing.read(), 0).equal());
    const RunComparison result = compared(number.read(), nothing.read(), 1e9);
    CHECK_FALSE(result.equal());
    CHECK(std::isinf(result.largest.relative()));
    CHECK(result.toJson()["largest_difference"]["b"].is_null());
}

TEST_CASE("epochs count by loss, and accuracy is reported in points") {
    const std::string steps = step(1, "1");
    const RunFiles a(steps + epoch("train", "1", "0.5") + epoch("val", "2", "0.75"));
    const RunFiles b(steps + epoch("train", "1", "0.5") + epoch("val", "1", "0.5"));
    const RunComparison result = compared(a.read(), b.read(), 0.1);
    CHECK_FALSE(result.equal());
    CHECK(result.trainLossDifference == 0);
    CHECK(result.validationLossDifference == 0.5);
    CHECK(result.accuracyDifference == 0.25);
    CHECK(result.text().find("25.00 points") != std::string::npos);
    const RunFiles regression(steps + epoch("val", "2", "null"));
    CHECK(compared(regression.read(), regression.read(), 0).accuracyDifference == 0);
}

TEST_CASE("different numbers of samples in a step are found") {
    const RunComparison result = compared(RunFiles(step(1, "1", 32)).read(), RunFiles(step(1, "1", 29)).read(), 0);
    REQUIRE(result.sampleCounts);
    CHECK(result.sampleCounts->a == 32);
    CHECK(result.sampleCounts->b == 29);
}

TEST_CASE("shard hashes of both runs are compared rank by rank") {
    const std::string one = R"({"kind":"consumed","rank":0,"epoch":0,"count":4,"sha256":"aa"})";
    const std::string two = R"({"kind": "consumed", "rank": 1, "epoch": 3, "count": 4, "sha256": "bb"})";
    const std::string other = R"({"kind":"consumed","rank":1,"epoch":3,"count":4,"sha256":"cc"})";
    const RunFiles a(step(1, "1"));
    const RunFiles b(step(1, "1"));
    CHECK(compared(a.read(), b.read(), 0).shards == ShardsVerdict::kUnknown);
    a.write("telemetry.jsonl", one + "\nno json \"consumed\"\n" + two + "\n");
    b.write("telemetry.jsonl", two + "\n" + one + "\n");
    CHECK(compared(a.read(), b.read(), 0).shards == ShardsVerdict::kSame);
    b.write("telemetry.jsonl", one + "\n" + other + "\n");
    const RunComparison result = compared(a.read(), b.read(), 0);
    CHECK(result.shards == ShardsVerdict::kDifferent);
    CHECK(result.firstOtherShard->rank == 1);
    CHECK(result.firstOtherShard->epoch == 3);
}

TEST_CASE("weights are compared at the start and after every epoch, by their hashes") {
    const auto replica = [](int steps, const char* hash, int rank = 0) {
        return R"({"kind":"replica","rank":)" + std::to_string(rank) + R"(,"step":)" + std::to_string(steps) +
               R"(,"hash":")" + hash + "\"}\n";
    };
    const RunFiles a(step(1, "1"));
    const RunFiles b(step(1, "1"));
    CHECK_FALSE(compared(a.read(), b.read(), 0).initialWeights);
    a.write("telemetry.jsonl", replica(0, "aa") + replica(0, "zz", 1) + replica(12, "bb") + replica(24, "cc"));
    b.write("telemetry.jsonl", replica(0, "aa") + replica(12, "bx") + replica(24, "cx"));
    const RunComparison result = compared(a.read(), b.read(), 0);
    CHECK(result.initialWeights == true);
    CHECK(result.otherWeightsAt == 12);
    CHECK(result.equal());
    CHECK(result.text().find("equal to the last bit at the start, different after step 12") != std::string::npos);
    b.write("telemetry.jsonl", replica(0, "xx"));
    CHECK(compared(a.read(), b.read(), 0).initialWeights == false);
}

TEST_CASE("configurations are compared key by key without influence on the result") {
    const RunFiles a(step(1, "1"));
    const RunFiles b(step(1, "1"));
    CHECK_FALSE(compared(a.read(), b.read(), 0).configsKnown);
    a.write("config.json", R"({"name":"x","parallel":{"world_size":4},"model":{"hidden":[128]}})");
    b.write("config.json", R"({"name":"x","parallel":{"world_size":2},"model":{"hidden":[128,64]}})");
    const RunComparison result = compared(a.read(), b.read(), 0);
    CHECK(result.equal());
    REQUIRE(result.configDifferences.size() == 2);
    CHECK(result.configDifferences[0].path == "parallel.world_size");
    CHECK(result.configDifferences[0].a == "4");
    CHECK(result.configDifferences[0].b == "2");
    CHECK(result.configDifferences[1].path == "model.hidden.1");
    CHECK(result.configDifferences[1].a.empty());
}

TEST_CASE("changes by commands are compared apart from the configurations") {
    const RunFiles a(step(1, "2.5") + step(2, "0.1")), b(step(1, "2.5") + step(2, "0.1"));
    for (const RunFiles* run : {&a, &b}) run->write("config.json", R"({"optimizer":{"lr":0.1}})");
    const std::string rate = R"({"kind":"control","command":"lr","value":0.25,"step":1,"epoch":0,"time_us":5})"
                             "\n";
    const std::string pause = R"({"kind":"control","command":"pause","value":0,"step":1,"epoch":0,"time_us":5})"
                              "\n";
    const std::string epochs = R"({"kind":"control","command":"epochs","value":6,"step":2,"epoch":1,"time_us":6})"
                               "\n";
    a.write("telemetry.jsonl", rate + pause + rate + epochs);
    b.write("telemetry.jsonl", pause);
    const std::string other = compared(a.read(), b.read(), 0).text();
    CHECK(contains(other, "configuration     the same at the start\n"));
    CHECK(contains(other, "live changes      A: lr 0.25 after step 1, epochs 6 after step 2; B: none\n"));
    CHECK(compared(a.read(), b.read(), 0).toJson()["changes"]["a"].size() == 2);
    const std::string equal = compared(a.read(), a.read(), 0).text();
    CHECK(contains(equal, "configuration     the same\n"));
    CHECK_FALSE(contains(equal, "live changes"));
}

TEST_CASE("an incomplete last line is ignored, other damage is reported with its line") {
    const RunFiles torn(step(1, "1") + R"({"kind":"step","st)");
    CHECK(compared(torn.read(), torn.read(), 0).steps == 1);
    CHECK(RunFiles(step(1, "1") + "nonsense\n").problem().find("metrics.jsonl line 2") != std::string::npos);
    CHECK(RunFiles(step(2, "1") + step(1, "1")).problem().find("has step 1 after step 2") != std::string::npos);
    CHECK(RunFiles(epoch("val", "1", "1")).problem().find("contains no step") != std::string::npos);
    CHECK(RunFiles("[1]\n").problem().find("is not a JSON object") != std::string::npos);
    const Result<RunRecord> missing = readRunRecord("no/such/directory");
    REQUIRE_FALSE(missing);
    CHECK(missing.problem().text().find("metrics.jsonl") != std::string::npos);
}

TEST_CASE("steps that one run recorded together are compared with single steps of the other run") {
    const std::string range = R"(,"loss_min":1,"loss_max":4)";
    const RunFiles single(step(1, "1") + step(2, "2") + step(3, "3") + step(4, "4") + step(5, "5"));
    const RunFiles thinned(window(1, 4, "2.5", 32, range) + step(5, "5"));
    const RunComparison result = compared(single.read(), thinned.read(), 0);
    CHECK(result.equal());
    CHECK(result.steps == 5);
    CHECK(result.thinned == 4);
    CHECK(result.stepsOnlyA + result.stepsOnlyB == 0);
    CHECK_FALSE(result.sampleCounts);
    CHECK(result.text().find("in all steps that were recorded one by one") != std::string::npos);
    CHECK(compared(thinned.read(), single.read(), 0).equal());
    CHECK(compared(thinned.read(), thinned.read(), 0).equal());
}

TEST_CASE("the same mean of other steps is a difference") {
    const RunFiles a(window(1, 4, "2.5", 32, R"(,"loss_min":1,"loss_max":4)"));
    const RunFiles b(window(1, 4, "2.5", 32, R"(,"loss_min":2,"loss_max":3)"));
    const RunComparison result = compared(a.read(), b.read(), 0.1);
    CHECK_FALSE(result.equal());
    CHECK(result.firstBeyond->from == 1);
    CHECK(result.firstBeyond->relative() == 0.5);  // 1 and 2
    CHECK(result.text().find("steps 1 to 4: loss 1 and 2") != std::string::npos);
}

TEST_CASE("windows of different widths are joined until they end together") {
    const RunFiles pairs(window(1, 2, "1.5", 16, R"(,"loss_min":1,"loss_max":2)") +
                         window(3, 4, "3.5", 16, R"(,"loss_min":3,"loss_max":4)"));
    const RunFiles four(window(1, 4, "2.5", 32, R"(,"loss_min":1,"loss_max":4)"));
    CHECK(compared(pairs.read(), four.read(), 0).equal());
    const RunFiles cut(window(1, 2, "1.5", 16, R"(,"loss_min":1,"loss_max":2)"));
    const RunComparison result = compared(cut.read(), four.read(), 0);
    CHECK_FALSE(result.equal());
    CHECK(result.steps == 0);
    CHECK(result.stepsOnlyA == 2);
    CHECK(result.stepsOnlyB == 4);
}

TEST_CASE("an impossible window is reported with its line") {
    CHECK(RunFiles(step(1, "1") + window(1, 4, "1", 8, "")).problem().find("line 2") != std::string::npos);
    CHECK(RunFiles(R"({"kind":"step","step":3,"from":1,"steps":9,"loss":1,"samples":1})"
                   "\n")
              .problem()
              .find("line 1") != std::string::npos);
    CHECK(RunFiles(R"({"kind":"step","step":1,"step":2,"loss":1,"samples":1})"
                   "\n")
              .problem()
              .find("line 1") != std::string::npos);
}

TEST_CASE("steps without a finite loss in both runs are counted, and named in the verdict") {
    const RunFiles a(step(1, "2.5") + step(2, "null") + step(3, "null"));
    const RunFiles b(step(1, "2.5") + step(2, "null") + step(3, "null"));
    const RunComparison result = compared(a.read(), b.read(), 0);
    CHECK(result.steps == 3);
    CHECK(result.notFinite == 2);
    CHECK_THAT(result.text(), Catch::Matchers::Contains("2 steps in both runs: their losses cannot be compared"));
    CHECK_THAT(result.text(),
               Catch::Matchers::Contains("except for 2 steps with losses that are not finite in both runs"));
    CHECK(result.toJson()["not_finite"] == 2);
}

TEST_CASE("the number of ranks with one instruction set does not count as a difference of instruction sets") {
    const BitsBasis two{.isa = std::vector<std::string>{"avx2", "avx2"}};
    CHECK(differencesOf(two, {.isa = std::vector<std::string>(4, "avx2")}).empty());
    CHECK(differencesOf(two, {.isa = std::vector<std::string>(2, "avx512_core")}) ==
          std::vector<std::string>{"instruction set avx2 on each rank and avx512_core on each rank"});
    CHECK(differencesOf(two, {.isa = std::vector<std::string>{"avx2", "avx2", "sse41"}}) ==
          std::vector<std::string>{"instruction set avx2 on each rank and rank 2: sse41; rank 0 and 1 more: avx2"});
}
