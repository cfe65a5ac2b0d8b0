// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/import_dialog.h"

#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QTest>

#include "data/png_file.h"
#include "experiment/number_spin_box.h"
#include "import/import_sentences.h"
#include "main_window/main_window.h"
#include "settings/settings.h"
#include "shards/scene/row_text.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/fake_dialogs.h"
#include "ui/fake_run.h"
#include "ui/wait_for.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

const char* const kTable = "a,b,kind\n1,2,cat\n3,4,dog\n5,6,cat\n7,8,dog\n9,1,cat\n2,2,dog\n3,1,cat\n4,4,dog\n";

struct Fixture {
    FakeRun fake{"lives"};
    Theme theme;
    Settings settings{fake.folder.filePath("window.ini")};
    FakeDialogs dialogs;
    MainWindow window{{theme, settings, dialogs, FakeRun::program()}};

    Fixture() {
        window.show();
        REQUIRE(waitFor([this] { return window.experiment().data() != nullptr; }));
    }

    QString path(const char* name) { return fake.folder.filePath(QString::fromLatin1(name)); }
    const RunConfig& config() { return window.experiment().config(); }

    void drop(const QString& file) {
        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter({50, 50}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        REQUIRE(enter.isAccepted());
        QDropEvent dropped({50, 50}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &dropped);
    }
    ImportDialog* dialog() { return window.findChild<ImportDialog*>(); }
    template <class W>
    W* find(const char* name) {
        W* found = dialog()->findChild<W*>(QString::fromLatin1(name));
        INFO(name);
        REQUIRE(found != nullptr);
        return found;
    }
    QString status() { return find<QLabel>("importStatusLabel")->text(); }
    QPushButton* use() { return find<QPushButton>("importUseButton"); }
    // Waits until the file was previewed and, if there is no problem, read to its end.
    void settle() {
        REQUIRE(waitFor([this] { return find<QProgressBar>("importProgressBar")->isHidden(); }));
    }
    void dropAndSettle(const char* name) {
        drop(path(name));
        settle();
    }
    void choose(const char* box, int row) {
        auto* combo = find<QComboBox>(box);
        combo->setCurrentIndex(row);
        Q_EMIT combo->activated(row);
        settle();
    }
};

}  // namespace

TEST_CASE("a table dropped on the window is shown, and Enter makes it the data set in one undo step") {
    Fixture f;
    f.fake.write("pets.csv", kTable);
    f.dropAndSettle("pets.csv");
    CHECK(f.config().dataset.kind == DatasetKind::kDigits);  // nothing before it is used
    CHECK(f.find<QLabel>("importSummaryLabel")->text() ==
          "8 rows, 2 features, a header; column kind is the label: 2 classes (cat: 4, dog: 4).");
    CHECK(f.status() == "Complete: 6 training, 2 validation samples, 2 features.");
    CHECK(!f.find<QComboBox>("importLabelComboBox")->isVisible());
    CHECK(!f.find<QComboBox>("importMissingComboBox")->isVisible());
    auto* table = f.find<QTableView>("importTableView");
    CHECK(table->model()->rowCount() == 8);
    CHECK(table->model()->headerData(2, Qt::Horizontal, Qt::DisplayRole).toString() == "kind (label)");
    QTest::keyClick(f.dialog(), Qt::Key_Return);
    CHECK(f.config().dataset.kind == DatasetKind::kCsv);
    CHECK(f.config().dataset.path == f.path("pets.csv").toStdString());
    CHECK(f.config().name == "pets-mlp");
    REQUIRE(waitFor([&] { return !f.window.experiment().isLoadingData(); }));
    REQUIRE(f.window.experiment().data() != nullptr);
    CHECK(f.window.experiment().data()->training->className(1) == "dog");
    const Dataset& pets = *f.window.experiment().data()->training;
    const QSet<QString> rows = {"a 1, b 2", "a 3, b 4", "a 5, b 6", "a 7, b 8",
                                "a 9, b 1", "a 2, b 2", "a 3, b 1", "a 4, b 4"};
    for (std::int64_t i = 0; i < pets.size(); ++i) CHECK(rows.contains(rowText(pets, i)));
    f.window.findChild<QAction*>("undoAction")->trigger();
    CHECK(f.config().dataset.kind == DatasetKind::kDigits);
    CHECK(f.config().name == "digits-mlp");
}

TEST_CASE("Cancel keeps all typed values") {
    Fixture f;
    auto* box = f.window.findChild<NumberSpinBox*>("worldSizeSpinBox");
    box->selectAll();
    QTest::keyClicks(box, "7");
    f.fake.write("pets.csv", kTable);
    f.dropAndSettle("pets.csv");
    QTest::keyClick(f.dialog(), Qt::Key_Escape);
    CHECK(f.dialog()->isHidden());
    CHECK(f.config().parallel.worldSize == 7);
    CHECK(f.config().dataset == DatasetConfig());
}

TEST_CASE("a column is made the label by a click on its header") {
    Fixture f;
    f.fake.write("table.csv", "1,0.5,0\n0,1.5,1\n1,2.5,1\n0,3.5,0\n");
    f.dropAndSettle("table.csv");
    CHECK(f.find<QComboBox>("importLabelComboBox")->currentIndex() == 2);
    auto* header = f.find<QTableView>("importTableView")->horizontalHeader();
    Q_EMIT header->sectionClicked(0);
    f.settle();
    CHECK(f.find<QComboBox>("importLabelComboBox")->currentIndex() == 0);
    f.use()->click();
    CHECK(f.config().dataset.labelColumn == "0");
}

TEST_CASE("the dialog offers treatments of missing values, and the file can be used at once") {
    Fixture f;
    f.fake.write("gaps.csv", "a,b,y\n1,2,0\n?,4,1\n5,6,0\n7,NA,1\n9,1,0\n2,2,1\n3,1,0\n4,4,1\n");
    f.dropAndSettle("gaps.csv");
    auto* missing = f.find<QComboBox>("importMissingComboBox");
    CHECK(missing->isVisible());
    CHECK(missing->currentText() == "Leave out the 2 rows with a missing value");
    CHECK(f.status().contains("2 rows with missing values left out"));
    f.choose("importMissingComboBox", 1);
    CHECK(f.status().contains("2 missing values set to the column's mean"));
    f.choose("importMissingComboBox", 2);
    CHECK(!f.use()->isEnabled());
    CHECK(f.status() == "Column a lacks 1 value, first in line 3.");
    CHECK(f.use()->toolTip() == f.status());
    f.choose("importMissingComboBox", 1);
    f.use()->click();
    CHECK(f.config().dataset.missing == MissingCells::kMean);
}

TEST_CASE("a broken file is reported with problem, position and remedy") {
    Fixture f;
    f.fake.write("broken.csv", "1,2,0\n3,4,1\n5,x,0\n6,7,1\n");
    f.dropAndSettle("broken.csv");
    CHECK(f.status() == "Column 1 is text; only the label may be text.");
    CHECK(!f.use()->isEnabled());
    f.fake.write("ragged.csv", "1,2,0\n3,4,1\n5,6\n");
    f.dropAndSettle("ragged.csv");
    CHECK(f.status() == "Line 3 has 2 cells, but the first line has 3.");
    f.fake.write("empty.csv", "");
    f.dropAndSettle("empty.csv");
    CHECK(f.status().endsWith("empty.csv is empty: choose a file with samples"));
    QTest::keyClick(f.dialog(), Qt::Key_Return);
    CHECK(f.config().dataset.kind == DatasetKind::kDigits);
    f.fake.write("good.csv", kTable);
    f.dropAndSettle("good.csv");
    CHECK(f.use()->isEnabled());
}

TEST_CASE("a problem found at the end of the file disables the button then") {
    Fixture f;
    std::string text;
    while (text.size() < (std::size_t{8} << 20)) text += "0.125,0.5,1\n0.25,0.75,0\n";
    f.fake.write("long.csv", text + "0.5,oops,1\n");
    f.dropAndSettle("long.csv");
    CHECK(f.status().contains("column 1 is \"oops\"; it must be a finite number"));
    CHECK(!f.use()->isEnabled());
}

TEST_CASE("a table with numbers to predict is read to its end like any other") {
    Fixture f;
    f.fake.write("prices.csv", "size,price\n1,0.5\n2,1.25\n3,1.5\n4,2.125\n5,2.5\n");
    f.dropAndSettle("prices.csv");
    CHECK(f.status() == "Complete: 4 training, 1 validation samples, 1 feature.");
    f.use()->click();
    CHECK(f.config().dataset.kind == DatasetKind::kCsv);
}

TEST_CASE("for arrays the dialog requests the file with their labels") {
    Fixture f;
    f.fake.write("a.npy", npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (4, 2), }", "abcdefgh"));
    f.fake.write("classes.npy",
                 npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", bytes({0, 1, 0, 1})));
    f.dropAndSettle("a.npy");
    CHECK(f.find<QLineEdit>("importLabelsLineEdit")->isVisible());
    CHECK(!f.use()->isEnabled());
    f.dialogs.path = f.path("classes.npy");
    f.find<QPushButton>("importLabelsButton")->click();
    f.settle();
    CHECK(f.status() == "Complete: 3 training, 1 validation samples, 2 features. 2 classes: 0 (2), 1 (2).");
    f.use()->click();
    CHECK(f.config().dataset.kind == DatasetKind::kNpy);
    CHECK(f.config().dataset.labelsPath == f.path("classes.npy").toStdString());
}

TEST_CASE("a text selects the transformer, and other data select another model again") {
    Fixture f;
    f.fake.write("poem.txt", std::string(300, 'a') + ",\n" + std::string(300, 'b') + "\n");
    f.dropAndSettle("poem.txt");
    CHECK(f.find<QLabel>("importKindLabel")->text() == "poem.txt: Text");
    CHECK(f.status() == "Complete: 7 training, 2 validation samples, 64 characters.");  // 603 / 64 samples
    CHECK(!f.find<QComboBox>("importReadAsComboBox")->isVisible());
    CHECK(f.find<QTableView>("importTableView")->model()->rowCount() == 2);
    f.use()->click();
    CHECK(f.config().dataset.kind == DatasetKind::kText);
    CHECK(f.config().model.kind == ModelKind::kTransformer);
    CHECK(f.config().name == "poem-transformer");
    f.fake.write("pets.csv", kTable);
    f.dropAndSettle("pets.csv");
    f.use()->click();
    CHECK(f.config().model.kind == ModelKind::kMlp);
    f.window.experiment().undoStack().undo();
    CHECK(f.config().dataset.kind == DatasetKind::kText);
    CHECK(f.config().model.kind == ModelKind::kTransformer);
}

TEST_CASE("a .txt file that could be a table or a text leads to a question") {
    Fixture f;
    std::string rows;
    for (int i = 0; i < 50; ++i) rows += "1,2,0\n3,4,1\n";
    f.fake.write("rows.txt", rows);
    f.dropAndSettle("rows.txt");
    CHECK(f.find<QComboBox>("importReadAsComboBox")->isVisible());
    CHECK(f.find<QLabel>("importKindLabel")->text() == "rows.txt: CSV file");
    f.choose("importReadAsComboBox", 1);
    CHECK(f.find<QLabel>("importKindLabel")->text() == "rows.txt: Text");
    f.choose("importReadAsComboBox", 0);
    f.use()->click();
    CHECK(f.config().dataset.kind == DatasetKind::kCsv);
}

TEST_CASE("a folder of images is a data set, one with a run is a run") {
    Fixture f;
    const std::filesystem::path root = f.path("pictures").toStdString();
    for (const char* name : {"cat/1.png", "cat/2.png", "dog/1.png", "dog/2.png"}) {
        writeRaw(root / name, pngFile(2, 1, bytes({1, 2, 3, 4, 5, 6})));
    }
    f.dropAndSettle("pictures");
    CHECK(f.find<QLabel>("importSummaryLabel")->text() ==
          "4 images in folders; 2 classes (cat: 2, dog: 2); the first image has 2 x 1 pixels.");
    CHECK(f.status().startsWith("Each image is read when it is needed. Found "));
    CHECK(f.status().endsWith("2 classes: cat (2), dog (2)."));
    f.use()->click();
    CHECK(f.config().dataset.kind == DatasetKind::kImageFolder);
    CHECK(f.config().dataset.imageSize == 0);
}

TEST_CASE("data can be dropped while a run is live, for the next run") {
    Fixture f;
    f.window.findChild<QAction*>("runAction")->trigger();
    REQUIRE(waitFor([&] { return f.window.controller().state() == RunController::State::Running; }));
    f.fake.write("pets.csv", kTable);
    f.dropAndSettle("pets.csv");
    CHECK(!f.dialog()->isModal());
    f.use()->click();
    CHECK(f.config().dataset.kind == DatasetKind::kCsv);
    CHECK(f.window.controller().isLive());
    f.window.controller().stop();
    REQUIRE(waitFor([&] { return !f.window.controller().isLive(); }));
}

TEST_CASE("an experiment is named after its data until the user names it") {
    RunConfig config;
    CHECK(suggestedName(config) == "digits-mlp");
    config.dataset.path = "/data/my set.v2.csv";
    config.model.kind = ModelKind::kToyLinear;
    CHECK(suggestedName(config) == "my-set-toy_linear");
}
