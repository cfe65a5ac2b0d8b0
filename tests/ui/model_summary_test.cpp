// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <memory>

#include "experiment/experiment_form.h"
#include "experiment/model_summary_dialog.h"
#include "models/experiment_model.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/painted_texts.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

struct SummaryFixture {
    ExperimentModel model;
    std::unique_ptr<ModelSummaryDialog> dialog;

    SummaryFixture() {
        REQUIRE(waitFor([this] { return model.data() != nullptr; }));
        dialog = std::make_unique<ModelSummaryDialog>(model);
    }
    QAbstractItemModel* rows() {
        return dialog->findChild<QTableView*>(QStringLiteral("modelSummaryTableView"))->model();
    }
    QString cell(int row, int column) { return rows()->index(row, column).data().toString(); }
    QString notes() { return dialog->findChild<QLabel*>(QStringLiteral("modelSummaryNotesLabel"))->text(); }
    QPushButton* copy() { return dialog->findChild<QPushButton*>(QStringLiteral("copySummaryButton")); }
};

}  // namespace

TEST_CASE("the model is listed layer by layer, and follows the form") {
    SummaryFixture f;
    const QAbstractItemModelTester tester(f.rows(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    REQUIRE(f.rows()->rowCount() == 5);
    CHECK(f.cell(0, 0) == "Flatten()");
    CHECK(f.cell(1, 0) == "Linear(64, 128)");
    CHECK(f.cell(1, 1) == "(128)");
    CHECK(f.cell(1, 2) == "8,320");
    CHECK(f.cell(1, 3) == "16,384");
    CHECK(f.cell(4, 0) == "All");
    CHECK(f.cell(4, 2) == "9,610");
    RunConfig config = f.model.config();
    config.model.kind = ModelKind::kSimpleCnn;
    f.model.edit(config, QStringLiteral("model.kind"));
    CHECK(f.cell(0, 0) == "Conv2d(1, 32, kernel_size=3, padding=1)");
    CHECK(f.cell(0, 1) == "(32, 8, 8)");
}

TEST_CASE("cells are under the headings of their columns") {
    Theme theme;  // needed, because its style sheet sets the margins of headings
    theme.setMode(Theme::Mode::Light);
    SummaryFixture f;
    auto* table = f.dialog->findChild<QTableView*>(QStringLiteral("modelSummaryTableView"));
    f.dialog->show();
    REQUIRE(QTest::qWaitForWindowExposed(f.dialog.get()));
    const QList<PaintedText> heads = paintedTexts(*table->horizontalHeader()->viewport());
    const QList<PaintedText> cells = paintedTexts(*table->viewport());
    const auto find = [](const QList<PaintedText>& texts, const char* text) {
        const auto found = std::ranges::find(texts, QLatin1String(text), &PaintedText::text);
        INFO(text);
        REQUIRE(found != texts.end());
        return found->place;
    };
    CHECK(std::abs(find(heads, "Layer").left() - find(cells, "ReLU()").left()) <= 1);
    CHECK(std::abs(find(heads, "Parameters").right() - find(cells, "8,320").right()) <= 1);
}

TEST_CASE("the summary's text can be copied") {
    SummaryFixture f;
    f.copy()->click();
    CHECK(QApplication::clipboard()->text().startsWith("Layer            Output  Parameters"));
    CHECK(QApplication::clipboard()->text().contains("Linear(64, 128)  (128)        8,320  16,384     128"));
}

TEST_CASE("a model that cannot be built shows the reason") {
    SummaryFixture f;
    RunConfig config = f.model.config();
    config.model.kind = ModelKind::kLayers;
    f.model.edit(config, QStringLiteral("model.kind"));
    CHECK(f.rows()->rowCount() == 0);
    CHECK(f.notes().startsWith("Layers is empty: write the list as"));
    CHECK(!f.copy()->isEnabled());
}

TEST_CASE("data that take long to read show progress, and then their contents") {
    ExperimentModel model(nullptr, std::chrono::milliseconds(0));
    ExperimentForm form(model);
    REQUIRE(waitFor([&] { return model.data() != nullptr; }));
    RunConfig config = model.config();
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.size = 100000;
    config.dataset.features = 64;  // 6.4 million random numbers, so that loading takes a measurable time
    model.edit(config, QStringLiteral("dataset.kind"));
    auto* sentence = form.findChild<QLabel*>(QStringLiteral("dataSentenceLabel"));
    REQUIRE(sentence != nullptr);
    REQUIRE(waitFor([&] { return sentence->text() == QLatin1String("Reading the data..."); }));
    CHECK(model.isLoadingData());
    REQUIRE(waitFor([&] { return !model.isLoadingData(); }));
    CHECK(sentence->text().startsWith(
        QLatin1String("Of 100,000 samples: 80,000 training, 20,000 validation samples, 64 features")));
}

TEST_CASE("the names of layers are complete at every type size, in a wide and in a narrow table") {
    Theme theme;
    for (const int percent : {100, 150, 200}) {
        theme.setTypePercent(percent);
        SummaryFixture f;
        auto* table = f.dialog->findChild<QTableView*>(QStringLiteral("modelSummaryTableView"));
        f.dialog->show();
        CHECK(waitFor([&] { return table->horizontalHeader()->length() >= table->viewport()->width(); }));
        for (const int width : {760, 420}) {
            f.dialog->resize(width, 400);
            REQUIRE(waitFor([&] { return f.dialog->width() == width || f.dialog->minimumWidth() > width; }));
            CAPTURE(percent, width);
            for (int column = 0; column < f.rows()->columnCount(); ++column) {
                int wanted = 0;
                for (int row = 0; row < f.rows()->rowCount(); ++row)
                    wanted = std::max(wanted, table->fontMetrics().horizontalAdvance(f.cell(row, column)));
                CHECK(table->columnWidth(column) > wanted);
            }
            CHECK(table->horizontalHeader()->length() >= table->viewport()->width());
        }
    }
    theme.setTypePercent(100);
}
