// SPDX-License-Identifier: Apache-2.0
#include "data/preview/preview.h"

#include "data/png_file.h"
#include "support/catch.h"
#include "support/gzip_packed.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

DataPreview tableOf(const std::string& text) {
    return previewTable(text, "table.csv", false).value();
}

// Table in the format of a well-known data set of patients: eight numeric features, then the label 0 or 1, no header.
const std::string kPatients =
    "6,148,72,35,0,33.6,0.627,50,1\n1,85,66,29,0,26.6,0.351,31,0\n8,183,64,0,0,23.3,0.672,32,1\n"
    "1,89,66,23,94,28.1,0.167,21,0\n0,137,40,35,168,43.1,2.288,33,1\n";

}  // namespace

TEST_CASE("in a table of numbers without a header the last column is the label") {
    const DataPreview preview = tableOf(kPatients);
    CHECK_FALSE(preview.header);
    CHECK(preview.labelColumn == 8);
    CHECK(preview.labelIsSure);
    CHECK(preview.sampleCount == 5);
    CHECK(preview.dataset.kind == DatasetKind::kCsv);
    CHECK(preview.dataset.labelColumn.empty());
    REQUIRE(preview.classes.size() == 2);
    CHECK(preview.classes[0].count == 2);
    CHECK(preview.classes[1].name == "1");
    CHECK(preview.columns[5].type == ColumnType::kReal);
    CHECK(preview.columns[0].type == ColumnType::kInteger);
    CHECK(preview.columns[0].most == 8);
    CHECK(preview.rows.front()[1] == "148");
    CHECK(preview.notes.empty());
    CHECK(preview.summary == "5 rows, 8 features, no header; column 8 is the label: 2 classes (0: 2, 1: 3)");
}

TEST_CASE("a header names the columns and the label in any position") {
    const DataPreview preview = tableOf("Species;length;width\nsetosa;5.1;3.5\nvirginica;6.3;3.3\nsetosa;4.9;3\n");
    CHECK(preview.header);
    CHECK(preview.labelColumn == 0);
    CHECK(preview.labelIsSure);
    CHECK(preview.dataset.labelColumn == "Species");
    CHECK(preview.columns[1].name == "length");
    CHECK(preview.classes.size() == 2);
    CHECK(preview.classes[0].name == "setosa");
    CHECK(preview.classes[0].count == 2);
}

TEST_CASE("a first column of classes before real numbers is a guess that the user should confirm") {
    const DataPreview preview = tableOf("1,0.5,2.25\n0,1.5,2.5\n1,0.25,1.125\n0,0.75,0.5\n");
    CHECK(preview.labelColumn == 0);
    CHECK_FALSE(preview.labelIsSure);
    const DataPreview numbers = tableOf("0.5,2.25\n1.5,2.5\n");
    CHECK(numbers.labelColumn == 1);
    CHECK(numbers.classes.empty());
    CHECK(numbers.summary == "2 rows, 1 feature, no header; column 1 is the number to predict");
    CHECK(tableOf("0.5,2.25\n").summary.starts_with("1 row, 1 feature, "));
}

TEST_CASE("problems that prevent loading a table are reported with the line") {
    const DataPreview preview = tableOf("name,size,y\nann,1,0\nbob,?,1\ncid,NA,0\ndan,4\n");
    CHECK(preview.columns[1].missing == 2);
    REQUIRE(preview.notes.size() == 3);
    CHECK(preview.notes[0] == "Line 5 has 2 cells, but the first line has 3.");
    CHECK(preview.notes[1] == "Column name is text; only the label may be text.");
    CHECK(preview.notes[2] == "Column size lacks 2 values, first in line 3.");
    CHECK_FALSE(tableOf("?,2,0\n1,2,1\n").header);
}

TEST_CASE("chosen settings are not detected again") {
    const DataPreview second = previewTable("5,1,7\n6,0,7\n5,1,9\n", "t.csv", false, {.labelColumn = "1"}).value();
    CHECK(second.labelColumn == 1);
    CHECK(second.labelIsSure);
    CHECK(second.dataset.labelColumn == "1");
    CHECK(second.classes.size() == 2);
    const DataPreview named =
        previewTable("1,2\n3,4\n5,6\n", "t.csv", false, {.labelColumn = "1", .header = CsvHeader::kYes}).value();
    CHECK(named.labelColumn == 0);  // a column name has precedence over a column number
    CHECK(named.sampleCount == 2);
    CHECK(named.dataset.header == CsvHeader::kYes);
    CHECK_FALSE(previewTable("a,b\n1,2\n", "t.csv", false, {.header = CsvHeader::kNo}).value().header);
    CHECK(previewTable("1,2\n", "t.csv", false, {.labelColumn = "7"}).problem().text() ==
          "dataset.label_column is \"7\", which t.csv does not have: name one of its columns, or give a number from 0 "
          "to 1");
    const DataPreview twins = previewTable("x,x,y\n1,2,0\n3,4,1\n", "t.csv", false, {.labelColumn = "1"}).value();
    // Given by number, because two columns have this name and the name means the first one.
    CHECK(twins.dataset.labelColumn == "1");
}

TEST_CASE("missing values count per row, and a word such as NA is a class among text labels") {
    const std::string text = "a,b,y\n1,?,x\n,,x\n3,4,NA\n5,6,?\n7,8,z\n";
    const DataPreview refused = tableOf(text);
    CHECK(refused.rowsWithMissing == 3);
    CHECK(refused.classes.size() == 3);
    REQUIRE(refused.notes.size() == 3);
    CHECK(refused.notes[2] == "Column y lacks 1 value, first in line 5.");
    CHECK(previewTable(text, "t.csv", false, {.missing = MissingCells::kDrop}).value().notes.empty());
    CHECK(previewTable(text, "t.csv", false, {.missing = MissingCells::kMean}).value().notes.size() == 1);  // the label
}

TEST_CASE("files are distinguished by content") {
    const TemporaryDirectory directory;
    const auto& base = directory.path();
    const auto kindOf = [&](const std::string& name, const std::string& content) {
        return previewFile(writeRaw(base / name, content)).value();
    };
    CHECK(kindOf("a", kPatients).dataset.kind == DatasetKind::kCsv);
    CHECK(kindOf("a.gz", gzipPacked(kPatients)).sampleCount == 5);
    CHECK(kindOf("a", "\n { \"version\": 1 }").found == DataPreview::Found::kExperiment);
    CHECK(kindOf("a", std::string(3073 * 2, '\1')).dataset.kind == DatasetKind::kCifar10);
    CHECK(kindOf("a", std::string(3074 * 2, '\x40')).summary == "2 images of 3 x 32 x 32 (CIFAR-100)");
    writeRaw(base / "train-labels-idx1-ubyte", idxBytes({3}, bytes({1, 0, 1})));
    const DataPreview mnist = kindOf("train-images-idx3-ubyte.gz", gzipPacked(idxBytes({3, 2, 2}, "abcdefghijkl")));
    CHECK(mnist.dataset.kind == DatasetKind::kIdx);
    CHECK(mnist.summary ==
          "3 samples of 2 x 2, uint8 (IDX), labels in train-labels-idx1-ubyte; 2 classes (0: 1, 1: 2)");
    CHECK(loadDataset(mnist.dataset).ok());
    const DataPreview npy =
        kindOf("b.npy", npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }", "abcd"));
    CHECK(npy.dataset.kind == DatasetKind::kNpy);
    CHECK(npy.notes.size() == 1);
}

TEST_CASE("directories are distinguished by content") {
    const TemporaryDirectory directory;
    const auto& base = directory.path();
    writeRaw(base / "pictures/cat/1.png", pngFile(1, 1, bytes({1, 2, 3})));
    writeRaw(base / "pictures/dog/1.JPG", "x");
    writeRaw(base / "pictures/dog/inner/2.jpeg", "x");
    const DataPreview pictures = previewFile(base / "pictures").value();
    CHECK(pictures.dataset.kind == DatasetKind::kImageFolder);
    CHECK(pictures.summary == "3 images in folders; 2 classes (cat: 1, dog: 2)");
    writeRaw(base / "cifar/data_batch_1.bin", "");
    CHECK(previewFile(base / "cifar").value().dataset.kind == DatasetKind::kCifar10);
    writeRaw(base / "run/summary.json", "{}");
    CHECK(previewFile(base / "run").value().found == DataPreview::Found::kRunDirectory);
    writeRaw(base / "nothing/notes.txt", "");
    CHECK_THAT(previewFile(base / "nothing").problem().text(), containing("without a known data set"));
}

TEST_CASE("a file without a preview is refused with the remedy") {
    const TemporaryDirectory directory;
    const auto problem = [&](const std::string& content) {
        return previewFile(writeRaw(directory.path() / "file", content)).problem().text();
    };
    CHECK_THAT(problem(""), containing("is empty"));
    CHECK_THAT(problem(pngFile(1, 1, bytes({1, 2, 3}))), containing("is a single image: choose the directory"));
    CHECK_THAT(problem(std::string("PK\3\4\0\0", 6)), containing("has an unknown format"));
    CHECK_THAT(problem("alone\n"), containing("has one column"));
    CHECK_THAT(problem(gzipPacked(std::string(std::size_t{9} << 20, '0'))),
               containing("has no line end in its first 8388608 bytes"));
    CHECK_THAT(problem(idxBytes({3}, bytes({1, 0, 1}))),
               containing("probably contains labels: choose the file with the samples"));
    CHECK_THAT(previewFile(directory.path() / "none").problem().text(), containing("No such file"));
}

TEST_CASE("only the beginning of a huge table is read, to the end of a row") {
    const TemporaryDirectory directory;
    std::string text;
    while (text.size() < (std::size_t{9} << 20)) text += "0.125,0.5,1\n0.25,0.75,0\n";
    const DataPreview preview = previewFile(writeRaw(directory.path() / "huge.csv", text)).value();
    CHECK(preview.partial);
    CHECK(preview.notes.empty());
    // 8 MiB hold 349,525 pairs of rows (24 bytes) and 8 bytes of a row that is left out.
    CHECK(preview.sampleCount == 2 * 349525);
}

TEST_CASE("a .txt file is a table where its rows are equally long, and a text otherwise") {
    const TemporaryDirectory directory;
    const auto previewOf = [&](const std::string& name, const std::string& content, const DatasetConfig& choices = {}) {
        return previewFile(writeRaw(directory.path() / name, content), choices);
    };
    const DataPreview table = previewOf("rows.txt", "1\t2\t0\n3\t4\t1\n5\t6\t0\n").value();
    CHECK(table.dataset.kind == DatasetKind::kCsv);
    CHECK(table.tableOrText);
    CHECK_FALSE(previewOf("rows.csv", "1,2,0\n3,4,1\n").value().tableOrText);

    const std::string prose = "To be, or not\nto be.\n\nThat is the question, then, is it.\n";  // 58 characters
    const DataPreview text = previewOf("play.TXT", prose, {.contextLength = 7}).value();
    CHECK(text.dataset.kind == DatasetKind::kText);
    CHECK(text.dataset.kind == DatasetKind::kText);
    CHECK_FALSE(text.tableOrText);
    // (58 - 1) / 7 samples; space, line end, comma, dot, T and a b e h i n o q r s t u.
    CHECK(
        text.summary ==
        "8 samples of 7 characters, 17 distinct characters; the model predicts each character from the previous ones");
    REQUIRE(text.rows.size() == 4);
    CHECK(text.rows[1] == std::vector<std::string>{"to be."});
    CHECK(text.rows[2] == std::vector<std::string>{""});
    CHECK(text.notes.empty());
    CHECK(previewOf("play.txt.gz", gzipPacked(prose), {.contextLength = 7}).value().dataset.kind == DatasetKind::kText);
    CHECK(previewOf("short.txt", "hello").value().notes.front().find("has 5 characters; the minimum") !=
          std::string::npos);
    CHECK_FALSE(previewOf("play.csv", prose).value().dataset.kind == DatasetKind::kText);
}

TEST_CASE("an ambiguous .txt file is read as chosen") {
    const TemporaryDirectory directory;
    const auto file = writeRaw(directory.path() / "rows.txt", "1,2,0\n3,4,1\n5,6,0\n");
    const DataPreview text = previewFile(file, {.kind = DatasetKind::kText, .contextLength = 2}).value();
    CHECK(text.dataset.kind == DatasetKind::kText);
    CHECK(text.tableOrText);
    CHECK(text.sampleCount == 8);  // of 18 characters
    CHECK(previewFile(file, {.kind = DatasetKind::kCsv}).value().dataset.kind == DatasetKind::kCsv);
}

TEST_CASE("only the beginning of a huge text is read, to the end of a character") {
    const TemporaryDirectory directory;
    std::string text = "a";  // one byte first, so that 8 MiB end within a two-byte character
    while (text.size() < (std::size_t{9} << 20)) text += "\xc3\xa9";
    const DataPreview preview = previewFile(writeRaw(directory.path() / "huge.txt", text)).value();
    CHECK(preview.dataset.kind == DatasetKind::kText);
    CHECK(preview.notes.empty());
    // 1 + (8,388,608 - 2) / 2 characters; the last one has no successor to predict.
    CHECK(preview.sampleCount == 4194303 / 64);
}
