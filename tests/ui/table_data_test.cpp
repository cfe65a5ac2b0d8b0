// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/table_data.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

#include "support/catch.h"
#include "tables/table_model.h"
#include "tables/table_panel.h"
#include "tables/view_export.h"
#include "theme/theme.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

const TableData kSpecial = tableOf(QStringLiteral("special"), {"what", "value, ms"},
                                   {{"two\nlines", "1"}, {"a \"quoted\" word", "2"}, {"carriage\rreturn", "3"}});

QByteArray written(const TableData& table) {
    const QTemporaryDir folder;
    const QString path = folder.filePath("table.csv");
    REQUIRE(writeCsv(table, path, std::atomic<bool>(false)).isEmpty());
    QFile file(path);
    REQUIRE(file.open(QIODevice::ReadOnly));
    return file.readAll();
}

// Returns the first and the last column of pixels with ink in columns [0, width) of the picture.
std::pair<int, int> inkOf(const QImage& picture, int width) {
    const QColor ground = picture.pixelColor(1, picture.height() / 2);
    std::pair<int, int> ink(width, -1);
    for (int x = 0; x < width; ++x)
        for (int y = 3; y < picture.height() - 3; ++y)
            if (picture.pixelColor(x, y) != ground) ink = {std::min(ink.first, x), std::max(ink.second, x)};
    return ink;
}

}  // namespace

// The expected texts follow RFC 4180, section 2, rules 6 and 7.
TEST_CASE("a CSV quotes commas, quotes and line breaks") {
    CHECK(written(kSpecial) ==
          "what,\"value, ms\"\n\"two\nlines\",1\n\"a \"\"quoted\"\" word\",2\n\"carriage\rreturn\",3\n");
}

TEST_CASE("the text for the clipboard has one line for each row") {
    CHECK(tabText(kSpecial) == "what\tvalue, ms\ntwo lines\t1\na \"quoted\" word\t2\ncarriage return\t3\n");
    CHECK(tabText({}).isEmpty());
}

TEST_CASE("a text for the clipboard has at most 100,000 rows") {
    const TableData table{"long", {"row"}, 100'001, [](qint64) { return QStringList("x"); }};
    CHECK(tabText(table).count(QLatin1Char('\n')) == 1 + 100'000);
}

TEST_CASE("the text of a cell is below that of its heading, and keeps the margin at both ends") {
    Theme theme;
    theme.setMode(Theme::Mode::Light);
    TablePanel panel(QStringLiteral("test"));
    panel.setTable(tableOf("t", {"HHH", "HHH", "HHH"}, {{"HHH", "111", "HHH"}}));
    panel.resize(600, 200);
    panel.show();
    auto* view = panel.findChild<QTableView*>();
    view->verticalHeader()->hide();
    const auto pictureOf = [&](QWidget* part, int column, int height) {
        const int left = view->horizontalHeader()->sectionViewportPosition(column);
        return part->grab(QRect(left, 0, view->columnWidth(column), height)).toImage();
    };
    const auto cell = [&](int column) {
        return inkOf(pictureOf(view->viewport(), column, view->rowHeight(0)), view->columnWidth(column));
    };
    const auto heading = [&](int column) {
        auto* header = view->horizontalHeader();
        return inkOf(pictureOf(header->viewport(), column, header->height() - 2), view->columnWidth(column));
    };
    CHECK(std::abs(cell(0).first - heading(0).first) <= 1);
    CHECK(cell(0).first >= 8);
    CHECK(std::abs(cell(1).second - heading(1).second) <= 3);  // tolerance, because the letters differ
    CHECK(cell(1).second < view->columnWidth(1) - 8);
}

TEST_CASE("an export reports as saved only what is on the disk") {
    ViewExport button(QStringLiteral("test"));
    QSignalSpy saved(&button, &ViewExport::saved), failed(&button, &ViewExport::failed);
    const QTemporaryDir folder;
    button.saveTable(kSpecial, folder.filePath("no/such/folder.csv"));
    REQUIRE(waitFor([&] { return failed.size() == 1; }));
    button.saveTable(tableOf("empty", {"a"}, {}), folder.filePath("empty.csv"));
    CHECK(failed.size() == 2);
    CHECK_FALSE(QFile::exists(folder.filePath("empty.csv")));
    CHECK(saved.isEmpty());
    button.saveTable(kSpecial, folder.filePath("table.csv"));
    REQUIRE(waitFor([&] { return saved.size() == 1; }));
    CHECK(QFile::exists(folder.filePath("table.csv")));
    CHECK(failed.size() == 2);
}

TEST_CASE("the model of a table passes Qt's checks and shows a page of rows") {
    TableModel model;
    const QAbstractItemModelTester tester(&model);
    model.setTable(kSpecial);
    CHECK(model.rowCount() == 3);
    CHECK(model.data(model.index(1, 1)).toString() == "2");
    CHECK(model.isNumeric(1));
    model.setTable(
        {"long", {"row"}, TableModel::kPageRows + 5, [](qint64 row) { return QStringList(QString::number(row)); }});
    model.setPage(1);
    CHECK(model.rowCount() == 5);
    CHECK(model.data(model.index(0, 0)).toString() == QString::number(TableModel::kPageRows));
}
