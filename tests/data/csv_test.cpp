// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "base/system/files.h"
#include "data/readers/csv_table.h"
#include "data/sets/common/standardize.h"
#include "data/sets/files/csv_dataset.h"
#include "support/catch.h"
#include "support/gzip_packed.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

using Names = std::vector<std::string>;

SampleTable table(std::string_view text, const std::string& label = {}) {
    return parseCsv(text, "data.csv", {.labelColumn = label}).value();
}

std::string refusal(std::string_view text, const std::string& label = {}) {
    return parseCsv(text, "data.csv", {.labelColumn = label}).problem().text();
}

std::vector<Names> records(std::string_view text) {
    CsvReader reader(text, "data.csv");
    std::vector<Names> all;
    Names cells;
    while (reader.next(cells).value()) all.push_back(cells);
    return all;
}

}  // namespace

TEST_CASE("records are split at commas, semicolons or tabs, with any line end") {
    const std::vector<Names> expected = {{"1", "2"}, {"3", "4"}};
    CHECK(records("1,2\n3,4\n") == expected);
    CHECK(records("1;2\r\n3;4") == expected);
    CHECK(records("1\t2\r3\t4\r") == expected);
    CHECK(records("\xef\xbb\xbf"
                  "1 , 2\n\n  \n3, 4\n\n") == expected);
    CHECK(records("1,2,\n") == std::vector<Names>{{"1", "2", ""}});
}

TEST_CASE("quoted cells may hold separators, quotes and line ends") {
    CHECK(records("\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\" ,x") ==
          std::vector<Names>{{"a,b", "say \"hi\""}, {"two\nlines", "x"}});
}

TEST_CASE("a table without header has its label in the last column") {
    const SampleTable digits = table("1,2.5,0\n-3,4e1,1\n+5,6,1\n");
    CHECK(digits.size == 3);
    CHECK(digits.shape.features == 2);
    CHECK(digits.features == std::vector<float>{1, 2.5F, -3, 40, 5, 6});
    CHECK(digits.labels == std::vector<std::int32_t>{0, 1, 1});
    CHECK(digits.classNames == Names{"0", "1"});
}

TEST_CASE("the label column is found by name or by number") {
    const char* const text = "kind,width,height\ncat,1,2\ndog,3,4\ncat,5,6\n";
    for (const char* label : {"kind", "0"}) {
        const SampleTable pets = table(text, label);
        CHECK(pets.features == std::vector<float>{1, 2, 3, 4, 5, 6});
        CHECK(pets.labels == std::vector<std::int32_t>{0, 1, 0});
        CHECK(pets.classNames == Names{"cat", "dog"});
        CHECK(pets.featureNames == Names{"width", "height"});
    }
    CHECK(refusal(text, "colour") ==
          "dataset.label_column is \"colour\", which data.csv does not have: name one of its columns, or give a number "
          "from 0 to 2");
    CHECK_FALSE(parseCsv(text, "data.csv", {.labelColumn = "3"}).ok());
    CHECK_FALSE(parseCsv("1,2\n3,4\n", "data.csv", {.labelColumn = "width"}).ok());
}

TEST_CASE("text labels are not mistaken for a header") {
    CHECK(table("1,a,2\n3,b,4\n", "1").featureNames == Names{"column 0", "column 2"});
    const SampleTable flowers = table("5.1,setosa\n6.2,virginica\n");
    CHECK(flowers.size == 2);
    CHECK(flowers.classNames == Names{"setosa", "virginica"});
}

TEST_CASE("whole numbers are classes in numeric order, other numbers are targets") {
    const SampleTable classes = table("0,10\n0,9\n0,10.0\n0,-1\n");
    CHECK(classes.classNames == Names{"-1", "9", "10"});
    CHECK(classes.labels == std::vector<std::int32_t>{2, 1, 2, 0});

    const SampleTable prices = table("0,1.5\n0,2\n");
    CHECK(prices.targetCount == 1);
    CHECK(prices.targets == std::vector<float>{1.5F, 2});
    CHECK(prices.classNames.empty());

    std::string many;
    for (int i = 0; i < 1001; ++i) many += "0," + std::to_string(i) + "\n";
    CHECK(table(many).targetCount == 1);
}

TEST_CASE("missing, non-finite and non-numeric values are refused with line and column") {
    CHECK(refusal("a,b,y\n1,2,0\n1,,0\n") ==
          "data.csv line 3, column \"b\" is empty; it must be a finite number: fill in the value, or set "
          "dataset.missing to "
          "drop or mean");
    CHECK(refusal("1,2,0\n1,nan,0\n") ==
          "data.csv line 2, column 1 is \"nan\"; it must be a finite number: fill in the value, or set dataset.missing "
          "to "
          "drop or "
          "mean");
    CHECK(refusal("1,2,0\n1,inf,0\n").find("\"inf\"") != std::string::npos);
    CHECK(refusal("1,2,0\n1,1e39,0\n").find("\"1e39\"") != std::string::npos);
    CHECK(refusal("1,2,0\n1,0x10,0\n").find("\"0x10\"") != std::string::npos);
    CHECK(refusal("1,2,0\n1,\"2\n3\xff\",0\n").find("is \"2\\n3\xef\xbf\xbd\"; it must") != std::string::npos);
    CHECK(refusal("1,2,0\n\n\n1,2,\n")
              .find("line 4, column 2 has no label: fill in the label, or set dataset.missing to drop") !=
          std::string::npos);
}

TEST_CASE("rows with a missing value are dropped on request") {
    const DatasetConfig drop{.missing = MissingCells::kDrop};
    const SampleTable kept = parseCsv("a,b,y\n1,2,0\n?,4,1\n5,NA,1\n7,8,1\n9,10,\n", "data.csv", drop).value();
    CHECK(kept.size == 2);
    CHECK(kept.features == std::vector<float>{1, 2, 7, 8});
    CHECK(kept.labels == std::vector<std::int32_t>{0, 1});
    CHECK(kept.rowsLeftOut == 3);
    CHECK(parseCsv("1,0\n,1\n,0\n", "data.csv", drop).problem().text() ==
          "data.csv has too few rows of data (1) after leaving out 2 with a missing value: set dataset.missing to "
          "mean, or remove the columns that are mostly empty");
    CHECK(parseCsv("1,0\nx,1\n2,0\n", "data.csv", drop).problem().text() ==
          "data.csv line 2, column 0 is \"x\"; it must be a finite number: correct the value, or remove the line");
}

TEST_CASE("a word such as NA is a class among text labels and missing among numbers") {
    // NA: North America
    CHECK(table("1,EU\n2,NA\n3,EU\n").classNames == Names{"EU", "NA"});
    CHECK(refusal("1,0\n2,NA\n3,1\n") ==
          "data.csv line 2, column 1 has no label: fill in the label, or set dataset.missing to drop");
    const SampleTable kept = parseCsv("1,0\n2,NA\n3,1\n", "data.csv", {.missing = MissingCells::kDrop}).value();
    CHECK(kept.classNames == Names{"0", "1"});
    CHECK(kept.features == std::vector<float>{1, 3});
    const SampleTable texts = parseCsv("1,a\n2,?\n3,b\n", "data.csv", {.missing = MissingCells::kDrop}).value();
    CHECK(texts.classNames == Names{"a", "b"});
    CHECK(texts.labels == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("missing features become the mean of the training rows") {
    SampleTable filled =
        parseCsv("1,10,0\n,20,1\n5,?,0\n9,40,1\n", "data.csv", {.missing = MissingCells::kMean}).value();
    const std::vector<std::uint32_t> training = {0, 1, 2};
    CHECK(fillMissing(filled, training, "data.csv").value() == 2);
    CHECK(filled.features == std::vector<float>{1, 10, 3, 20, 5, 15, 9, 40});
    CHECK(parseCsv("1,0\n2,\n3,1\n", "data.csv", {.missing = MissingCells::kMean}).problem().message == "has no label");

    SampleTable hopeless = parseCsv("1,,0\n2,,1\n3,4,0\n", "data.csv", {.missing = MissingCells::kMean}).value();
    CHECK(fillMissing(hopeless, std::vector<std::uint32_t>{0, 1}, "data.csv").problem().text() ==
          "data.csv has no value of feature 1 (counted from 0, without the label) in any training row: remove that "
          "column from the file");
}

TEST_CASE("the header setting overrides the detection") {
    CHECK(table("1,2\n3,4\n5,6\n").size == 3);
    const SampleTable named = parseCsv("1,2\n3,4\n5,6\n", "data.csv", {.header = CsvHeader::kYes}).value();
    CHECK(named.size == 2);
    CHECK(parseCsv("1,2\n3,4\n5,6\n", "data.csv", {.labelColumn = "1", .header = CsvHeader::kYes}).value().features ==
          std::vector<float>{4, 6});
    CHECK(parseCsv("a,b\n1,2\n3,4\n", "data.csv", {.header = CsvHeader::kNo}).problem().text() ==
          "data.csv line 1, column 0 is \"a\"; it must be a finite number: correct the value, or remove the line");
}

TEST_CASE("a cancelled table is not read to its end") {
    std::string text;
    for (int row = 0; row < 5000; ++row) text += "1,2,0\n";
    std::stop_source stop;
    CHECK(parseCsv(text, "data.csv", {}, stop.get_token()).value().size == 5000);
    stop.request_stop();
    CHECK(parseCsv(text, "data.csv", {}, stop.get_token()).problem().message ==
          "was not read to its end because reading was cancelled");
}

TEST_CASE("a cancelled table is neither converted, nor filled, nor scaled") {
    std::stop_source stop;
    stop.request_stop();
    const std::string cancelled = "was not read to its end because reading was cancelled";
    CHECK(csvText("caf\xe9,1\n", "data.csv", stop.get_token()).problem().message == cancelled);
    SampleTable half = parseCsv("1,0\n?,1\n3,0\n", "data.csv", {.missing = MissingCells::kMean}).value();
    const std::vector<std::uint32_t> rows{0, 2};
    CHECK(fillMissing(half, rows, "data.csv", stop.get_token()).problem().message == cancelled);
    SampleTable plain = table("1,0\n3,1\n");
    standardize(plain, std::vector<std::uint32_t>{0, 1}, stop.get_token());
    CHECK(plain.features == std::vector<float>{1, 3});
}

TEST_CASE("files that are not tables are refused") {
    CHECK(refusal("") == "data.csv is empty: choose a file with at least 2 rows");
    CHECK(refusal("1,2\n") == "data.csv has one row; the minimum is 2 rows of data: add rows");
    CHECK(refusal("a,b\n1,2\n") == "data.csv has too few rows of data (1); the minimum is 2: add rows");
    CHECK(refusal("1\n2\n").find("one column") != std::string::npos);
    CHECK(refusal("1,2\n1,2,3\n") ==
          "data.csv line 2 has 3 cells, but the first line has 2: make all lines equally long");
    CHECK(refusal("1,2\n1,\"2\n").find("line 2 has a quote that is not closed") != std::string::npos);
    CHECK(refusal("1,2\n1,\"2\"3\n").find("text after a closing quote") != std::string::npos);
    CHECK(refusal(std::string(200000, ',') + "\n").find("more than 100000 columns") != std::string::npos);
    CHECK(refusal("1,2\n1," + std::string(70000, 'x')).find("more than 65536 bytes") != std::string::npos);
    std::string many = "0,x\n";
    for (int i = 0; i < 10001; ++i) many += "0,c" + std::to_string(i) + "\n";
    CHECK(refusal(many).find("has 10002 distinct texts; the maximum is 10000 classes") != std::string::npos);
}

TEST_CASE("text that is not UTF-8 is read as Latin-1, and UTF-16 is refused") {
    const TemporaryDirectory directory;
    const auto write = [&](const char* name, const std::string& content) {
        writeFileAtomically(directory.path() / name, content);
        return directory.path() / name;
    };
    const SampleTable latin = readCsv(write("latin.csv", "1,caf\xe9\n2,th\xe9\n"), {}).value();
    CHECK(latin.classNames == Names{"caf\xc3\xa9", "th\xc3\xa9"});
    CHECK(readCsv(write("utf8.csv", "1,caf\xc3\xa9\n2,\xe8\x8c\xb6\n"), {}).value().classNames ==
          Names{"caf\xc3\xa9", "\xe8\x8c\xb6"});
    CHECK(readCsv(write("wide.csv", "\xff\xfe" + std::string("1\0,\0", 4)), {}).problem().message == "is UTF-16 text");
}

TEST_CASE("a file is read plain or compressed, and an unreadable one is named") {
    const TemporaryDirectory directory;
    const auto write = [&](const char* name, const std::string& content) {
        writeFileAtomically(directory.path() / name, content);
        return directory.path() / name;
    };
    CHECK(readCsv(write("plain.csv", "1,0\n2,1\n"), {}).value().size == 2);
    CHECK(readCsv(write("packed.csv.gz", ringside::testing::gzipPacked("1,0\n2,1\n")), {}).value().size == 2);
    const auto missing = directory.path() / "missing.csv";
    CHECK(readCsv(missing, {}).problem().text() ==
          missing.string() + " cannot be opened (No such file or directory): check the path and its permissions");
    CHECK(readCsv(directory.path(), {}).problem().message == "is a directory");
}

TEST_CASE("a file that is not text is refused, even if its bytes could be parsed") {
    const TemporaryDirectory directory;
    const auto picture = directory.path() / "picture.csv";
    std::ofstream(picture, std::ios::binary) << std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR,1\n2,3\n", 24);
    CHECK(readCsv(picture, {}).problem().text() ==
          picture.string() + " is not a text file: choose a table, saved as CSV");
}
