// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/table_data.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTemporaryDir>

#include "support/catch.h"
#include "tables/table_model.h"

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

}  // namespace

// By RFC 4180, section 2, rules 6 and 7.
TEST_CASE("a CSV quotes commas, quotes and line breaks") {
    CHECK(written(kSpecial) ==
          "what,\"value, ms\"\n\"two\nlines\",1\n\"a \"\"quoted\"\" word\",2\n\"carriage\rreturn\",3\n");
}

TEST_CASE("the text for the clipboard has one line for each row") {
    CHECK(tabText(kSpecial) == "what\tvalue, ms\ntwo lines\t1\na \"quoted\" word\t2\ncarriage return\t3\n");
    CHECK(tabText({}).isEmpty());
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
