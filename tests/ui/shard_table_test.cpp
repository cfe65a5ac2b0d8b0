// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/balance_table.h"
#include "shards/compare/comparison_table.h"
#include "shards/grid/assignment_table.h"
#include "shards/map/samples_table.h"
#include "tables/table_model.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTemporaryDir>

#include "plans.h"
#include "shards/balance/scene_balance.h"
#include "shards/find/hits_table.h"
#include "support/catch.h"
#include "support/size_limit.h"

using namespace ringside;

namespace {

QString written(const TableData& table) {
    const QTemporaryDir folder;
    const QString path = folder.filePath("table.csv");
    REQUIRE(writeCsv(table, path, std::atomic<bool>(false)).isEmpty());
    QFile file(path);
    REQUIRE(file.open(QIODevice::ReadOnly));
    return QString::fromUtf8(file.readAll());
}

// Data set of ten samples whose classes "even" and "odd" alternate.
class Parities final : public Dataset {
  public:
    std::int64_t size() const override { return 10; }
    SampleShape shape() const override { return {1, 0, 0, 1}; }
    std::int64_t classCount() const override { return 2; }
    std::int64_t targetCount() const override { return 0; }
    std::string className(std::int64_t label) const override { return label == 0 ? "even" : "odd"; }
    void features(std::int64_t, std::span<float>) const override {}
    std::int64_t label(std::int64_t index) const override { return index % 2; }
    void targets(std::int64_t, std::span<float>) const override {}
};

}  // namespace

// 4 3 6 | 1 9 2 | 7 0 (4) | 5 8 (1), in steps of two.
TEST_CASE("the table of the grid has a row for every position in training order") {
    ShardSpec spec = tenOnFour();
    CHECK(assignmentTable(sceneOf(spec)).rows == 12);
    CHECK(written(assignmentTable(sceneOf(spec))).endsWith("0,2,2,2,4,padded\n0,2,3,2,1,padded\n"));
    CHECK(written(assignmentTable(sceneOf(spec))).startsWith("epoch,step,rank,slot,index,flag\n0,1,0,0,4,normal\n"));
    spec.loaderDropLast = true;
    CHECK(written(assignmentTable(sceneOf(spec))).endsWith("0,,3,2,1,padded\n"));
    spec.dropLast = true;
    CHECK(written(assignmentTable(sceneOf(spec))).endsWith("0,1,3,1,8,normal\n0,,,,6,dropped\n0,,,,2,dropped\n"));
}

TEST_CASE("the table of the map has a row for every sample") {
    const TableData table = samplesTable(sceneOf(tenOnFour()));
    CHECK(table.rows == 10);
    CHECK(table.row(4) == QStringList{"4", "0", "1", "0", "2"});
    CHECK(table.row(2) == QStringList{"2", "1", "2", "2", "1"});
}

TEST_CASE("two plans are compared sample by sample") {
    ShardSpec cut = tenOnFour();
    cut.dropLast = true;
    const TableData table = comparisonTable(sceneOf(tenOnFour()), planOf(cut), "a-b");
    CHECK(table.row(4) == QStringList{"4", "0", "1", "0", "0", "1", "0", "rank and step"});
    CHECK(table.row(2) == QStringList{"2", "1", "2", "2", "", "", "", ""});
}

TEST_CASE("a long table is shown in pages") {
    TableModel model;
    model.setTable({"t", {"n"}, 250'001, [](qint64 row) { return QStringList{QString::number(row)}; }});
    CHECK(model.pageCount() == 3);
    CHECK(model.rowCount() == 100'000);
    model.setPage(2);
    CHECK(model.rowCount() == 50'001);
    CHECK(model.data(model.index(1, 0)).toString() == "200001");
    CHECK(model.headerData(0, Qt::Vertical).toLongLong() == 200'001);
    model.setPage(9);
    CHECK(model.firstRow() == 200'000);
    model.setTable({"t", {"n"}, 5, [](qint64) { return QStringList{"x"}; }});
    CHECK(model.rowCount() == 5);
}

TEST_CASE("a CSV field with a comma or a quote is quoted") {
    TableData table{"t", {"a", "b"}, 1, [](qint64) { return QStringList{"x, y", "say \"hi\""}; }};
    CHECK(written(table) == "a,b\n\"x, y\",\"say \"\"hi\"\"\"\n");
}

TEST_CASE("a CSV that does not fit on the disk is not kept") {
    const QTemporaryDir folder;
    const SizeLimit limit(50);
    const TableData table = samplesTable(sceneOf(tenOnFour()));
    CHECK(writeCsv(table, folder.filePath("a.csv"), std::atomic<bool>(false)).contains("File too large"));
    CHECK(!QFile::exists(folder.filePath("a.csv")));
}

TEST_CASE("an unwritable CSV is reported with its path, and a cancelled one leaves no file") {
    const TableData table = samplesTable(sceneOf(tenOnFour()));
    CHECK(writeCsv(table, "/nowhere/at/all.csv", std::atomic<bool>(false)).startsWith("/nowhere/at/all.csv cannot be"));
    const QTemporaryDir folder;
    CHECK(!writeCsv(table, folder.filePath("a.csv"), std::atomic<bool>(true)).isEmpty());
    CHECK(!QFile::exists(folder.filePath("a.csv")));
}

TEST_CASE("the table model shows the contents of the table") {
    TableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setTable(assignmentTable(sceneOf(tenOnFour())));
    CHECK(model.rowCount() == 12);
    CHECK(model.data(model.index(11, 5)).toString() == "padded");
    CHECK(model.headerData(4, Qt::Horizontal).toString() == "index");
    model.setTable({});
    CHECK(model.rowCount() == 0);
}

TEST_CASE("search matches form a table of positions") {
    // 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1: the padding repeats 4 on rank 2 and 1 on rank 3.
    const ShardScene scene = sceneOf(tenOnFour());
    const TableData table = hitsTable(scene, {{4, 2, 2}, {1, 3, 2}, {9, 1, 1}});
    CHECK(table.columns == QStringList{"epoch", "step", "rank", "slot", "index", "flag"});
    CHECK(table.rows == 3);
    CHECK(table.row(0) == QStringList{"0", "2", "2", "2", "4", "padded"});  // steps count from 1
    CHECK(table.row(2) == QStringList{"0", "1", "1", "1", "9", "normal"});
    ShardSpec dropping = tenOnFour();
    dropping.dropLast = true;
    CHECK(hitsTable(sceneOf(dropping), {{6, -1, -1}}).row(0) == QStringList{"0", "", "", "", "6", "dropped"});
}

TEST_CASE("tables name the classes as the data set does") {
    ShardScene scene = sceneOf(tenOnFour());  // 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1
    scene.data = std::make_shared<Parities>();
    scene.labels = readLabels(*scene.data);
    CHECK(hitsTable(scene, {{4, 2, 2}}).row(0).last() == "even");
    CHECK(assignmentTable(scene).row(1).last() == "odd");  // sample 1
    const TableData balance = balanceTable(classBalance(scene));
    CHECK(balance.row(0).mid(0, 3) == QStringList{"0", "even", "2"});
    CHECK(balance.row(1).mid(0, 3) == QStringList{"0", "odd", "1"});
}

TEST_CASE("numbers are aligned right, words left") {
    TableModel model;
    model.setTable({"t", {"index", "flag"}, 2, [](qint64 row) { return QStringList{QString::number(row), "normal"}; }});
    CHECK(model.isNumeric(0));
    CHECK_FALSE(model.isNumeric(1));
    const auto alignment = [&](int column) {
        return Qt::Alignment(model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt());
    };
    CHECK(alignment(0).testFlag(Qt::AlignRight));
    CHECK(alignment(1).testFlag(Qt::AlignLeft));
}

TEST_CASE("a long cell is truncated on screen and complete in the file") {
    const QString list(500, QLatin1Char('7'));
    const TableData table{"t", {"mates"}, 1, [list](qint64) { return QStringList{list}; }};
    TableModel model;
    model.setTable(table);
    CHECK(model.data(model.index(0, 0)).toString().size() == 123);  // 120 and three dots
    CHECK(written(table) == "mates\n" + list + "\n");
}
