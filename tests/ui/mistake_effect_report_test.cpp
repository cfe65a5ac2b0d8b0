// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/mistakes/mistake_effect_report.h"

#include "plans.h"
#include "support/catch.h"

using namespace ringside;

namespace {

MistakeEffectReport reportOf(const ShardScene& scene) {
    return mistakeEffectReport(scene, std::atomic<bool>(false));
}

ShardScene threeEpochs(const ShardSpec& spec) {
    ShardScene scene = sceneOf(spec);
    scene.epochs = 3;
    return scene;
}

const MistakeEffectRow* rowOf(const QList<MistakeEffectRow>& rows, const QString& name) {
    for (const MistakeEffectRow& row : rows) {
        if (row.name == name) return &row;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("a correct assignment shares only its padding and loses no samples") {
    // The ranks get 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1: ranks 0 and 2 share sample 4, ranks 1 and 3 share sample 1.
    const ShardScene scene = threeEpochs(tenOnFour());
    const MistakeEffectReport report = reportOf(scene);
    CHECK_FALSE(report.withoutMistakes);
    CHECK_FALSE(report.identicalEpoch);
    CHECK(report.here.neverSeen == 0);
    CHECK(MistakeEffectReport::meanOverlap(report.here.epoch) == Approx(2.0 / 6));
    CHECK(MistakeEffectReport::largestOverlap(report.here.epoch) == 1);
    const Explanation explained = explainMistakeEffect(scene, report);
    CHECK_FALSE(explained.warning);
    CHECK(explained.title == "No problems: the assignment is correct");
    CHECK(explained.lines[0] ==
          "In this epoch, ranks train on 10 of 10 samples (100 %); number expected by chance: 10.");
    CHECK(explained.lines[1] == "Two ranks share 0.3 samples on average, at most 1; number expected by chance: 0.3.");
    CHECK(rowOf(mistakeEffectRows(scene, report), "Order of epoch 1")->here == "unique");
}

TEST_CASE("a missing set_epoch call makes epochs identical, and with drop_last the same samples are lost") {
    ShardSpec spec = tenOnFour();
    spec.dropLast = true;  // each epoch drops two; seeds 0, 1, 2 end in 6 2, 7 4, 2 3
    ShardScene scene = threeEpochs(spec);
    CHECK(reportOf(scene).here.neverSeen == 0);
    CHECK_FALSE(explainMistakeEffect(scene, reportOf(scene)).warning);
    scene.setEpoch = false;
    scene.epoch = 2;
    const MistakeEffectReport report = reportOf(scene);
    CHECK(report.identicalEpoch == 0);
    CHECK(report.here.neverSeen == 2);
    REQUIRE(report.withoutMistakes);
    CHECK(report.withoutMistakes->neverSeen == 0);
    const Explanation explained = explainMistakeEffect(scene, report);
    CHECK(explained.warning);
    CHECK(explained.title == "Epoch 3 is identical to epoch 1");
    CHECK(rowOf(mistakeEffectRows(scene, report), "Never used in 3 epochs")->bad);
    CHECK(rowOf(mistakeEffectRows(scene, report), "Order of epoch 3")->bad);
    CHECK(rowOf(mistakeEffectRows(scene, report), "Order of epoch 3")->here == "as in epoch 1");
    CHECK(rowOf(mistakeEffectRows(scene, report), "Order of epoch 3")->withoutMistakes == "unique");
}

TEST_CASE("with one shard for all ranks, all train on the same quarter") {
    ShardSpec spec = tenOnFour();
    spec.datasetSize = 12;
    spec.pitfalls.wrongRank = 1;
    const ShardScene scene = sceneOf(spec);
    const MistakeEffectReport report = reportOf(scene);
    CHECK(report.here.epoch.seen == 3);
    CHECK(report.withoutMistakes->epoch.seen == 12);
    CHECK(MistakeEffectReport::meanOverlap(report.here.epoch) == 3);
    const Explanation explained = explainMistakeEffect(scene, report);
    CHECK(explained.title.contains("Every process passes rank 1"));
    CHECK(explained.lines[0] ==
          "In this epoch, ranks train on 3 of 12 samples (25 %); number expected by chance: 3; number without the "
          "mistake: 12.");
    CHECK(explained.lines[1] ==
          "Two ranks share 3 samples on average, at most 3; number expected by chance: 3; number without the mistake: "
          "0.");
}

TEST_CASE("a sampler without sharding is reported as ranks that train on the same samples") {
    ShardSpec spec = tenOnFour();
    spec.kind = SamplerKind::kSequential;
    const ShardScene scene = sceneOf(spec);
    const Explanation explained = explainMistakeEffect(scene, reportOf(scene));
    CHECK(explained.warning);
    CHECK(explained.title == "Ranks train on the same samples");
    CHECK(rowOf(mistakeEffectRows(scene, reportOf(scene)), "Repeated uses")->here == "30");
}

TEST_CASE("the table of effects has the numbers and every pair of ranks") {
    ShardSpec spec = tenOnFour();
    spec.datasetSize = 5000;
    const ShardScene scene = sceneOf(spec);
    const TableData table = mistakeEffectTable(scene, reportOf(scene));
    CHECK(table.rows == 5 + 16);
    CHECK(table.row(0) == QStringList{"Used in this epoch", "", "", "5000", "5000", ""});
    CHECK(table.row(5) == QStringList{"own samples", "0", "0", "1250", "", ""});
    CHECK(table.row(6) == QStringList{"shared", "0", "1", "0", "0.0", ""});
}
