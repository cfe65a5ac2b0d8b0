// SPDX-License-Identifier: Apache-2.0
// Tests of every kind of data from its files to a trained epoch and a plan, with small data sets that the tests write.
#include "data/png_file.h"
#include "program.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;
namespace fs = std::filesystem;

namespace {

struct KindOfData {
    std::string name;
    std::vector<std::string> settings;
};

std::string idxImages(std::uint32_t count) {
    std::string pixels;
    for (std::uint32_t i = 0; i < count * 16; ++i) pixels += static_cast<char>(i * 7 % 256);
    return idxBytes({count, 4, 4}, pixels);
}

std::string alternating(std::uint32_t count) {
    std::string labels;
    for (std::uint32_t i = 0; i < count; ++i) labels += static_cast<char>(i % 2);
    return labels;
}

// Returns one record of a CIFAR file: the bytes of its labels, then 3072 pixels.
std::string cifar(std::size_t labelBytes) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += std::string(labelBytes, static_cast<char>(i % 3)) + std::string(3072, 'p');
    return text;
}

std::vector<KindOfData> writeAll(const fs::path& base) {
    writeRaw(base / "table.csv", "a,b,kind\n1,2,cat\n3,4,dog\n5,?,cat\n7,8,dog\n9,1,cat\n2,2,dog\n3,1,cat\n4,4,dog\n");
    writeRaw(base / "train-images-idx3-ubyte", idxImages(20));
    writeRaw(base / "train-labels-idx1-ubyte", idxBytes({20}, alternating(20)));
    const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (20, ";
    writeRaw(base / "x_train.npy", npyFile(header + "3), }", std::string(60, 'n')));
    writeRaw(base / "y_train.npy", npyFile(header + "), }", alternating(20)));
    writeRaw(base / "ten.bin", cifar(1));
    writeRaw(base / "hundred.bin", cifar(2));
    for (const char* name : {"cat/1.png", "cat/2.png", "cat/3.png", "dog/1.png", "dog/2.png", "dog/3.png"}) {
        writeRaw(base / "pictures" / name, pngFile(2, 2, bytes({1, 2, 3, 4, 5, 6, 9, 8, 7, 6, 5, 4})));
    }
    const auto file = [&](const char* name) { return "dataset.path=" + (base / name).string(); };
    return {{"digits", {}},
            {"csv", {file("table.csv"), "dataset.missing=mean"}},
            {"idx", {file("train-images-idx3-ubyte")}},
            {"npy", {file("x_train.npy")}},
            {"cifar10", {file("ten.bin")}},
            {"cifar100", {file("hundred.bin")}},
            {"image_folder", {file("pictures")}},
            {"synthetic", {"dataset.shape=regression"}},
            {"synthetic", {"dataset.shape=blobs"}},
            {"synthetic", {"dataset.shape=spirals"}},
            {"synthetic", {"dataset.shape=imbalanced"}}};
}

}  // namespace

TEST_CASE("every kind of data trains for an epoch") {
    const TemporaryDirectory scratch;
    int number = 0;
    for (const KindOfData& kind : writeAll(scratch.path())) {
        const fs::path out = scratch.path() / ("run" + std::to_string(number++));
        std::vector<std::string> arguments = {"run", "--quiet", "--out", out};
        for (const std::string& setting : kind.settings) arguments.insert(arguments.end(), {"--set", setting});
        for (const char* setting : {"parallel.world_size=2", "training.epochs=1", "loader.batch_size=2"})
            arguments.insert(arguments.end(), {"--set", setting});
        arguments.insert(arguments.end(), {"--set", "dataset.kind=" + kind.name});
        Program run(arguments);
        INFO(kind.name << ": " << run.output());
        REQUIRE(run.wait() == 0);
        CHECK(jsonOf(out / "summary.json")["plan_verified"] == true);
    }
}

TEST_CASE("plan assigns a data file without an experiment and detects its kind") {
    const TemporaryDirectory scratch;
    writeAll(scratch.path());
    const auto plan = [&](const char* name, std::vector<std::string> question) {
        question.insert(question.begin(), {"plan", "--world-size", "2", "--data", scratch.path() / name});
        Program program(question);
        const int code = program.wait();
        return std::pair(code, program.output());
    };
    // The data set has 20 samples; 4 of them are for validation.
    const auto [code, text] = plan("train-images-idx3-ubyte", {"--format", "json"});
    REQUIRE(code == 0);
    CHECK(parseJson(text, "plan").value()["dataset_size"] == 16);
    CHECK(plan("ten.bin", {"--balance"}).first == 0);
    const auto found = plan("pictures", {"--find", "class:dog", "--format", "json"});
    INFO(found.second);
    CHECK(found.first == 0);

    const auto gaps = plan("table.csv", {});
    CHECK(gaps.first == 2);
    CHECK(contains(gaps.second,
                   "table.csv line 4, column \"b\" is \"?\"; it must be a finite number: fill in the value, or"));
    CHECK(plan("table.csv", {"--missing", "drop", "--find", "class:cat"}).first == 0);
    // The text column "kind" is then a feature, which must be a number.
    CHECK(plan("table.csv", {"--missing", "mean", "--label-column", "a"}).first == 2);
    CHECK(contains(plan("nothing.csv", {}).second, "nothing.csv cannot be opened (No such file or directory)"));
    const auto both = plan("table.csv", {"--config", "x.json"});
    CHECK(both.first == 2);
    CHECK(contains(both.second, "--data cannot be combined with --config"));
}
