// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTest>

#include "data/raw_file.h"
#include "experiment/number_spin_box.h"
#include "experiment/throttle_presets.h"
#include "models/experiment_model.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "ui/wait_for.h"
#include "words/form_fields.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// The form with the built-in experiment and its loaded data.
struct Fixture {
    ExperimentModel model;
    ExperimentForm form{model};

    Fixture() {
        form.resize(300, 900);
        form.show();
        REQUIRE(waitFor([this] { return model.data() != nullptr; }));
    }

    template <class W>
    W* find(const char* name) {
        W* found = form.findChild<W*>(QString::fromLatin1(name));
        INFO(name);
        REQUIRE(found != nullptr);
        return found;
    }
    void type(const char* name, const char* text) {
        auto* box = find<NumberSpinBox>(name);
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QString::fromLatin1(text));
    }
    QString sentence() { return find<QLabel>("loadingSentenceLabel")->text(); }
};

}  // namespace

TEST_CASE("the digits on 4 ranks: 360 samples each, 3 repeated, 12 steps of 128") {
    Fixture f;
    CHECK(f.sentence().contains("ceil(1437 / 4) = 360"));
    CHECK(f.sentence().contains("3 are repeated"));
    CHECK(f.sentence().contains("12 steps of 4 \u00d7 32 = 128"));
    CHECK(f.sentence().contains("the last step has 8 per rank"));
}

TEST_CASE("typing a world size changes the sentence at once") {
    Fixture f;
    f.type("worldSizeSpinBox", "8");  // ceil(1437 / 8) = 180, 8 * 180 - 1437 = 3
    CHECK(f.model.config().parallel.worldSize == 8);
    CHECK(f.sentence().contains("ceil(1437 / 8) = 180"));
    CHECK(f.sentence().contains("3 are repeated"));
}

TEST_CASE("an impossible world size stays as typed, with a problem below its field") {
    Fixture f;
    f.type("worldSizeSpinBox", "1000000000");
    CHECK(f.find<NumberSpinBox>("worldSizeSpinBox")->text() == "1000000000");
    auto* problem = f.find<QLabel>("worldSizeProblemLabel");
    CHECK(problem->isVisible());
    CHECK(problem->text().contains("1000000000"));
    f.type("worldSizeSpinBox", "4");
    CHECK(!problem->isVisible());
    CHECK(f.model.problems().empty());
}

TEST_CASE("a batch larger than the shard is valid, and the sentence explains that it is the whole shard") {
    Fixture f;
    f.type("batchSizeSpinBox", "361");
    CHECK(f.model.problems().empty());
    CHECK(f.find<QLabel>("loadingSentenceLabel")->text().contains("1 step of 4 \u00d7 360 = 1,440"));
    CHECK(f.find<QLabel>("loadingSentenceLabel")->text().contains("larger than a rank's shard"));
}

TEST_CASE("an only batch that the loader drops is a problem of drop_last, with the size that fits") {
    Fixture f;
    f.type("batchSizeSpinBox", "361");
    RunConfig config = f.model.config();
    config.loader.dropLast = true;
    f.model.edit(config, "loader.drop_last");
    REQUIRE(f.model.problemOf("loader.drop_last"));
    CHECK(f.model.problemOf("loader.drop_last")->remedy == "set it to false, or loader.batch_size to at most 360");
}

TEST_CASE("text that is not a number is a problem and keeps the last configuration") {
    Fixture f;
    f.type("batchSizeSpinBox", "3x");
    CHECK(f.find<NumberSpinBox>("batchSizeSpinBox")->text() == "3x");
    CHECK(f.find<QLabel>("batchSizeProblemLabel")->isVisible());
    CHECK(!f.model.problems().empty());
    CHECK(f.model.config().loader.batchSize == 3);
}

TEST_CASE("typing several digits is one undo step, and undo brings back number and sentence") {
    Fixture f;
    const QString before = f.sentence();
    f.type("batchSizeSpinBox", "128");
    CHECK(f.model.undoStack().count() == 1);
    f.model.undoStack().undo();
    CHECK(f.find<NumberSpinBox>("batchSizeSpinBox")->text() == "32");
    CHECK(f.sentence() == before);
    f.model.undoStack().redo();
    CHECK(f.model.config().loader.batchSize == 128);
}

TEST_CASE("a check box is one undo step") {
    Fixture f;
    QTest::mouseClick(f.find<QCheckBox>("samplerDropLastCheckBox"), Qt::LeftButton, {}, {8, 8});
    CHECK(f.model.config().sampler.dropLast);  // floor(1437 / 4) = 359, 1 left over
    CHECK(f.sentence().contains("floor(1437 / 4) = 359"));
    CHECK(f.sentence().contains("1 is dropped"));
    f.model.undoStack().undo();
    CHECK(!f.find<QCheckBox>("samplerDropLastCheckBox")->isChecked());
}

TEST_CASE("arrows step whole numbers by one and stop at the minimum") {
    NumberSpinBox box(NumberSpinBox::Kind::Integer);
    box.setMinimum(1);
    box.setNumberText("2");
    box.stepBy(1);
    CHECK(box.text() == "3");
    box.stepBy(-5);
    CHECK(box.text() == "1");
}

TEST_CASE("arrows step real numbers along 1, 2, 5") {
    NumberSpinBox box(NumberSpinBox::Kind::Real);
    box.setNumberText("0.1");
    for (const char* expected : {"0.2", "0.5", "1", "2"}) {
        box.stepBy(1);
        CHECK(box.text() == QString::fromLatin1(expected));
    }
    box.setNumberText("0.001");
    for (const char* expected : {"0.0005", "0.0002", "0.0001", "5e-05"}) {
        box.stepBy(-1);
        CHECK(box.text() == QString::fromLatin1(expected));
    }
}

TEST_CASE("losing the focus keeps the typed text") {
    Fixture f;
    f.type("worldSizeSpinBox", "0");
    f.find<NumberSpinBox>("batchSizeSpinBox")->setFocus();
    CHECK(f.find<NumberSpinBox>("worldSizeSpinBox")->text() == "0");
    CHECK(f.find<QLabel>("worldSizeProblemLabel")->isVisible());
}

TEST_CASE("the fields of a data set show when it is chosen") {
    Fixture f;
    CHECK(!f.find<QLineEdit>("dataPathLineEdit")->isVisible());
    RunConfig config = f.model.config();
    config.dataset.kind = DatasetKind::kCsv;
    f.model.edit(config, "dataset.kind");
    CHECK(f.find<QLineEdit>("dataPathLineEdit")->isVisible());
    CHECK(f.find<QComboBox>("datasetComboBox")->currentData().toString() == "csv");
}

TEST_CASE("a problem of a rarely used field opens the section that hides it") {
    Fixture f;
    CHECK(!f.find<NumberSpinBox>("momentumSpinBox")->isVisible());
    RunConfig config = f.model.config();
    config.optimizer.momentum = -1;
    f.model.edit(config, "optimizer.momentum");
    CHECK(f.find<NumberSpinBox>("momentumSpinBox")->isVisible());
    CHECK(f.find<QLabel>("momentumProblemLabel")->isVisible());
}

TEST_CASE("an image size of 0 is shown in words, is stepped from and typed over") {
    Fixture f;
    RunConfig config = f.model.config();
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.shape = SyntheticShape::kImagenet;
    f.model.replace(config, {});
    auto* side = f.find<NumberSpinBox>("imageSizeSpinBox");
    CHECK(side->text() == "unchanged");
    side->stepBy(1);
    CHECK(f.model.config().dataset.imageSize == 1);
    side->stepBy(-1);
    CHECK(side->text() == "unchanged");
    CHECK(f.model.config().dataset.imageSize == 0);
    CHECK(f.model.problems().empty());
    f.type("imageSizeSpinBox", "64");
    CHECK(f.model.config().dataset.imageSize == 64);
    CHECK(side->text() == "64");
}

TEST_CASE("an unused mistake is shown as off, not as -1") {
    Fixture f;
    auto* rank = f.find<NumberSpinBox>("slowRankSpinBox");
    CHECK(rank->text() == "off");
    rank->stepBy(1);
    CHECK(rank->text() == "0");
    CHECK(f.model.config().stepPitfalls.slowRank == 0);
    f.type("slowRankSpinBox", "off");
    CHECK(f.model.config().stepPitfalls.slowRank == -1);
    f.type("slowRankSpinBox", "-1");
    CHECK(f.model.config().stepPitfalls.slowRank == -1);
    CHECK(f.model.problems().empty());
}

TEST_CASE("Tab goes through a section's title from left to right, then to its fields") {
    Fixture f;
    auto* layers = f.find<QPushButton>("modelSummaryButton");
    auto* more = f.find<QPushButton>("modelMoreButton");
    CHECK(layers->mapTo(&f.form, QPoint()).x() < more->mapTo(&f.form, QPoint()).x());
    CHECK(layers->nextInFocusChain() == more);
    CHECK(f.find<QPushButton>("dataMoreButton")->mapTo(&f.form, QPoint()).y() < layers->mapTo(&f.form, QPoint()).y());
    std::vector<std::string> names;
    for (QWidget* next = more->nextInFocusChain(); next != layers; next = next->nextInFocusChain()) {
        if ((next->focusPolicy() & Qt::TabFocus) != 0 && next->isVisible()) {
            names.push_back(next->objectName().toStdString());
        }
    }
    CHECK(names.front() == "modelComboBox");
    REQUIRE(names.size() > 2);
    CHECK(names[names.size() - 2] == "datasetComboBox");
    CHECK(names.back() == "modelFoldButton");
}

TEST_CASE("the form does not claim that all ranks are on this host, which a launcher decides") {
    Fixture f;
    const QString sentence = f.find<QLabel>("parallelSentenceLabel")->text();
    CHECK(sentence.contains("Gloo over TCP between several hosts"));
    CHECK_FALSE(sentence.contains("all ranks are on this host"));
}

TEST_CASE("a section folds to its title, and unfolds for a problem in it") {
    Fixture f;
    auto* fold = f.find<QPushButton>("parallelFoldButton");
    auto* ranks = f.find<NumberSpinBox>("worldSizeSpinBox");
    CHECK(ranks->isVisible());
    fold->click();
    CHECK_FALSE(ranks->isVisible());
    CHECK_FALSE(f.find<QLabel>("parallelSentenceLabel")->isVisible());
    CHECK(f.find<QComboBox>("modelComboBox")->isVisible());
    RunConfig config = f.model.config();
    config.parallel.worldSize = 0;
    f.model.edit(config, "parallel.world_size");
    CHECK(ranks->isVisible());
    CHECK_FALSE(fold->isChecked());
}

TEST_CASE("the form does not scroll for a control that gets the focus") {
    Fixture f;
    auto* scroll = f.find<QScrollArea>("experimentScrollArea");
    scroll->ensureVisible(2000, 10);
    CHECK(scroll->widget()->x() == 0);
    for (const char* name : {"epochsSpinBox", "worldSizeSpinBox"}) {
        scroll->ensureWidgetVisible(f.find<NumberSpinBox>(name), 400, 50);
        CHECK(scroll->widget()->x() == 0);
    }
}

TEST_CASE("every control of the form has a tooltip and an accessible name") {
    Fixture f;
    for (const FormField& field : formFields()) {
        bool found = false;
        for (QWidget* widget : f.form.findChildren<QWidget*>()) {
            const QString stem = QString::fromLatin1(field.stem);
            if (!widget->objectName().startsWith(stem) || widget->objectName().endsWith("Label")) continue;
            found = true;
            CHECK(!widget->toolTip().isEmpty());
            CHECK(!widget->accessibleName().isEmpty());
        }
        INFO(field.path);
        CHECK(found);
    }
}

TEST_CASE("an unusable data file is reported next to its field") {
    Fixture f;
    RunConfig config = f.model.config();
    config.dataset.kind = DatasetKind::kCsv;
    config.dataset.path = "/nowhere/table.csv";
    f.model.edit(config, QStringLiteral("dataset.path"));
    REQUIRE(waitFor([&] { return !f.model.isLoadingData(); }));
    auto* problem = f.find<QLabel>("dataPathProblemLabel");
    CHECK(!problem->isHidden());
    CHECK(problem->text() ==
          "File /nowhere/table.csv cannot be opened (No such file or directory): check the path and its permissions");
    config.dataset.path = "/";
    f.model.edit(config, QStringLiteral("dataset.path"));
    REQUIRE(waitFor([&] { return !f.model.isLoadingData(); }));
    CHECK(problem->text() == "File / is a directory: choose a regular file");
}

TEST_CASE("a refused data set is not created") {
    Fixture f;
    RunConfig config = f.model.config();
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.size = 13'421'773;  // with 10 features and 10 targets, four values more than 2^28
    f.model.edit(config, QStringLiteral("dataset.size"));
    REQUIRE(waitFor([&] { return !f.model.isLoadingData(); }));
    CHECK(f.model.data() == nullptr);
    CHECK(f.find<QLabel>("dataSizeProblemLabel")->text().contains("the maximum is 268435456"));
}

TEST_CASE("labels that do not match are reported next to their field") {
    Fixture f;
    const TemporaryDirectory directory;
    RunConfig config = f.model.config();
    config.dataset.kind = DatasetKind::kIdx;
    config.dataset.path = writeRaw(directory.path() / "samples", idxBytes({3, 2}, "abcdef")).string();
    config.dataset.labelsPath = writeRaw(directory.path() / "labels", idxBytes({2}, bytes({0, 1}))).string();
    f.model.edit(config, QStringLiteral("dataset.kind"));
    REQUIRE(waitFor([&] { return !f.model.isLoadingData(); }));
    CHECK(f.find<QLabel>("dataPathProblemLabel")->isHidden());
    CHECK(
        f.find<QLabel>("labelsPathProblemLabel")->text() ==
        QStringLiteral("Labels file %1 labels 2 samples, but there are 3: choose the labels that belong to the samples")
            .arg(QString::fromStdString(config.dataset.labelsPath)));
}

TEST_CASE("a number of more than 64 bits is called too large, not a typing error") {
    Fixture f;
    f.type("samplerSeedSpinBox", "99999999999999999999");
    CHECK(f.find<QLabel>("samplerSeedProblemLabel")->text() ==
          "Shuffle seed \"99999999999999999999\" is too large for a 64-bit integer: enter fewer digits");
}

TEST_CASE("a model that does not fit the data is reported next to its kind, and Run is disabled") {
    Fixture f;
    RunConfig config = f.model.config();
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.features = 8;
    config.model.kind = ModelKind::kSimpleCnn;
    f.model.edit(config, QStringLiteral("dataset.kind"));
    REQUIRE(waitFor([&] { return !f.model.isLoadingData(); }));
    CHECK(f.find<QLabel>("modelProblemLabel")->text() ==
          "Model layer 0, Conv2d(8, 32, kernel_size=3, padding=1), needs images (channels, height, width) but receives "
          "the shape (8): choose a data set of images");
    CHECK(f.find<QLabel>("modelSentenceLabel")->text().isEmpty());
    CHECK(f.model.problems().size() == 1);
    config.model.kind = ModelKind::kLayers;
    config.model.layers = R"([{"kind": "flatten"}, {"kind": "linear", "out": 0}])";
    f.model.edit(config, QStringLiteral("model.kind"));
    CHECK(f.find<QLabel>("layersProblemLabel")->text().startsWith("Layers [1]"));
}

TEST_CASE("a model larger than the memory is reported next to its kind") {
    Fixture f;
    RunConfig config = f.model.config();
    config.model.hidden = {65536, 65536, 65536, 65536, 65536, 65536, 65536, 65536};
    config.parallel.worldSize = 64;
    f.model.edit(config, QStringLiteral("model.hidden"));
    const Problem* problem = f.model.problemOf("model.kind");
    REQUIRE(problem != nullptr);
    CHECK(problem->message.starts_with("takes "));  // 7 x 65536^2 weights, three times 4 bytes, on each of 64 ranks
}

TEST_CASE("a throttle preset depends on the model's computation and bytes") {
    Fixture f;
    // Forward 19,072 FLOP a sample, 32 samples, backward twice that, in 30 ms: 0.061 GFLOP/s. 38,440 bytes of
    // gradients, of which a ring of four sends 3/2, in 6 ms: 0.077 Gbit/s.
    const RunConfig four = withThrottle(f.model.config(), f.model.data(), ThrottlePreset::FourSmallGpus);
    CHECK(four.parallel.worldSize == 4);
    CHECK(four.parallel.throttle.gflops == Approx(0.061));
    CHECK(four.parallel.throttle.gbitPerSecond == Approx(0.077));
    CHECK(four.parallel.throttle.latencyUs == 100);
    CHECK(four.validate().empty());
    RunConfig two = f.model.config();
    two.parallel.worldSize = 2;
    const RunConfig slow = withThrottle(two, f.model.data(), ThrottlePreset::SlowNetwork);
    CHECK(slow.parallel.worldSize == 2);
    // The gradients are sent once in each direction in 60 ms.
    CHECK(slow.parallel.throttle.gbitPerSecond == Approx(0.0051));
    CHECK_FALSE(withThrottle(slow, f.model.data(), ThrottlePreset::Off).parallel.throttle.any());
}

TEST_CASE("a list that is too long for its field shows its beginning") {
    Fixture f;
    RunConfig config = f.model.config();
    config.model.hidden.assign(20, 256);
    f.model.edit(config, "model.hidden");
    const auto* line = f.find<QLineEdit>("hiddenLineEdit");
    REQUIRE(line->text().startsWith("256, 256"));
    CHECK(line->cursorPosition() == 0);
}

TEST_CASE("a missing set_epoch call is marked beside its field") {
    Fixture f;
    auto* hint = f.form.findChild<QLabel*>("setEpochHintLabel");
    CHECK(hint->isHidden());
    RunConfig config = f.model.config();
    config.sampler.setEpoch = false;
    f.model.edit(config, "sampler.set_epoch");
    CHECK_FALSE(hint->isHidden());
    CHECK(hint->text().contains("all 10 epochs have the same order"));
    config.training.epochs = 2;
    f.model.edit(config, "training.epochs");
    CHECK(hint->text().contains("both epochs have the same order"));
    const auto top = [&](const char* name) { return f.find<QCheckBox>(name)->mapTo(&f.form, QPoint()).y(); };
    CHECK(waitFor([&] { return hint->height() > 0 && top("shuffleCheckBox") == top("setEpochCheckBox"); }));
    config.sampler.shuffle = false;  // without shuffling, the order is the same in each epoch anyway
    f.model.edit(config, "sampler.shuffle");
    CHECK(hint->isHidden());
}
