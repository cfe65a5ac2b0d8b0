// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "data/csv_dataset.h"
#include "data/csv_table.h"
#include "support/catch.h"
#include "support/gzip_packed.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

using Names = std::vector<std::string>;

SampleTable table(std::string_view text, const std::string& label = {}) {
    return parseCsv(text, "data.csv", label).value();
}

std::string refusal(std::string_view text, const std::string& label = {}) {
    return parseCsv(text, "data.csv", label).problem().text();
}

std::vector<Names> records(std::string_view text) {
    CsvReader reader(text, "data.csv");
    std::vector<Names> all;
    Names cells;
    while (reader.next(cells).value()) all.push_back(cells);
    return all;
}

}  // namespace

TEST_CASE("Records are split at commas, semicolons or tabs, with any line end") {
    const std::vector<Names> expected = {{"1", "2"}, {"3", "4"}};
    CHECK(records("1,2\n3,4\n") == expected);
    CHECK(records("1;2\r\n3;4") == expected);
    CHECK(records("1\t2\r3\t4\r") == expected);
    CHECK(records("\xef\xbb\xbf"
                  "1 , 2\n\n  \n3, 4\n\n") == expected);
    CHECK(records("1,2,\n") == std::vector<Names>{{"1", "2", ""}});
}

TEST_CASE("Quoted cells may hold separators, quotes and line ends") {
    CHECK(records("\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\" ,x") ==
          std::vector<Names>{{"a,b", "say \"hi\""}, {"two\nlines", "x"}});
}

TEST_CASE("A table without header has its label in the last column") {
    const SampleTable digits = table("1,2.5,0\n-3,4e1,1\n+5,6,1\n");
    CHECK(digits.size == 3);
    CHECK(digits.shape.features == 2);
    CHECK(digits.features == std::vector<float>{1, 2.5F, -3, 40, 5, 6});
    CHECK(digits.labels == std::vector<std::int32_t>{0, 1, 1});
    CHECK(digits.classNames == Names{"0", "1"});
}

TEST_CASE("The label column is found by name or by number") {
    const char* const text = "kind,width,height\ncat,1,2\ndog,3,4\ncat,5,6\n";
    for (const char* label : {"kind", "0"}) {
        const SampleTable pets = table(text, label);
        CHECK(pets.features == std::vector<float>{1, 2, 3, 4, 5, 6});
        CHECK(pets.labels == std::vector<std::int32_t>{0, 1, 0});
        CHECK(pets.classNames == Names{"cat", "dog"});
    }
    CHECK(refusal(text, "colour") ==
          "dataset.label_column is \"colour\", which data.csv does not have: name one of its columns, or give a number "
          "from 0 to 2");
    CHECK_FALSE(parseCsv(text, "data.csv", "3").ok());
    CHECK_FALSE(parseCsv("1,2\n3,4\n", "data.csv", "width").ok());
}

TEST_CASE("Text labels without a header are not taken for one") {
    const SampleTable flowers = table("5.1,setosa\n6.2,virginica\n");
    CHECK(flowers.size == 2);
    CHECK(flowers.classNames == Names{"setosa", "virginica"});
}

TEST_CASE("Whole numbers are classes in numeric order, other numbers are targets") {
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

TEST_CASE("Missing, non-finite and non-numeric values are refused with line and column") {
    CHECK(refusal("a,b,y\n1,2,0\n1,,0\n") ==
          "data.csv line 3, column \"b\" is empty; it must be a finite number: fill it in, or remove the line");
    CHECK(refusal("1,2,0\n1,nan,0\n") ==
          "data.csv line 2, column 1 is \"nan\"; it must be a finite number: fill it in, or remove the line");
    CHECK(refusal("1,2,0\n1,inf,0\n").find("\"inf\"") != std::string::npos);
    CHECK(refusal("1,2,0\n1,1e39,0\n").find("\"1e39\"") != std::string::npos);
    CHECK(refusal("1,2,0\n1,0x10,0\n").find("\"0x10\"") != std::string::npos);
    CHECK(refusal("1,2,0\n1,\"2\n3\xff\",0\n").find("is \"2\\n3\xef\xbf\xbd\"; it must") != std::string::npos);
    CHECK(refusal("1,2,0\n\n\n1,2,\n").find("line 4, column 2 is empty; it must be a label") != std::string::npos);
}

TEST_CASE("Tables that are no tables are refused") {
    CHECK(refusal("") == "data.csv is empty: choose a file with at least 2 rows");
    CHECK(refusal("1,2\n") == "data.csv has one row; the least is 2 rows of data: add rows");
    CHECK(refusal("a,b\n1,2\n") == "data.csv has too few rows of data (1); the least is 2: add rows");
    CHECK(refusal("1\n2\n").find("one column") != std::string::npos);
    CHECK(refusal("1,2\n1,2,3\n") == "data.csv line 2 has 3 cells, and the first line 2: make all lines equally long");
    CHECK(refusal("1,2\n1,\"2\n").find("line 2 has a quote that is not closed") != std::string::npos);
    CHECK(refusal("1,2\n1,\"2\"3\n").find("text after a closing quote") != std::string::npos);
    CHECK(refusal(std::string(200000, ',') + "\n").find("more than 100000 columns") != std::string::npos);
    CHECK(refusal("1,2\n1," + std::string(70000, 'x')).find("more than 65536 bytes") != std::string::npos);
    std::string many = "0,x\n";
    for (int i = 0; i < 10001; ++i) many += "0,c" + std::to_string(i) + "\n";
    CHECK(refusal(many).find("has 10002 different texts; the most is 10000 classes") != std::string::npos);
}

TEST_CASE("A file is read plain or packed, and what cannot be read is named") {
    const TemporaryDirectory directory;
    const auto write = [&](const char* name, const std::string& content) {
        writeFileAtomically(directory.path() / name, content);
        return directory.path() / name;
    };
    CHECK(readCsv(write("plain.csv", "1,0\n2,1\n"), "").value().size == 2);
    CHECK(readCsv(write("packed.csv.gz", ringside::testing::gzipPacked("1,0\n2,1\n")), "").value().size == 2);
    const auto missing = directory.path() / "missing.csv";
    CHECK(readCsv(missing, "").problem().text() ==
          missing.string() + " cannot be opened (No such file or directory): check the path and its permissions");
    CHECK(readCsv(directory.path(), "").problem().message == "is a directory");
}
