// SPDX-License-Identifier: Apache-2.0
#include "data/png_file.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

DataSplit loaded(const std::string& kind, const std::string& path, const std::filesystem::path& base,
                 const std::string& labels = {}) {
    DatasetConfig config;
    choose(config.kind, kind);
    config.path = path;
    config.labelsPath = labels;
    const auto split = loadDataset(config, base);
    if (!split) FAIL(split.problem().text());
    return split.value();
}

}  // namespace

TEST_CASE("each kind of file is found relative to the experiment and split") {
    const TemporaryDirectory directory;
    const auto& base = directory.path();
    writeRaw(base / "mnist/train-images-idx3-ubyte", idxBytes({5, 2, 2}, std::string(20, 'x')));
    writeRaw(base / "mnist/train-labels-idx1-ubyte", idxBytes({5}, bytes({0, 1, 2, 3, 4})));
    CHECK(loaded("idx", "mnist", base).summary == "4 training, 1 validation samples, 2 x 2");
    writeRaw(base / "mnist/t10k-images-idx3-ubyte", idxBytes({3, 2, 2}, std::string(12, 'x')));
    writeRaw(base / "mnist/t10k-labels-idx1-ubyte", idxBytes({3}, bytes({0, 1, 2})));
    CHECK(loaded("idx", "mnist", base).summary == "5 training, 3 validation samples, 2 x 2, as split by the data set");

    writeRaw(base / "a.npy", npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (4, 3), }", "abcdefghijkl"));
    writeRaw(base / "b.npy", npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", bytes({0, 1, 0, 1})));
    CHECK(loaded("npy", "a.npy", base, "b.npy").summary == "3 training, 1 validation samples, 3 features");

    writeRaw(base / "some.bin", std::string(3073 * 2, '\1'));
    CHECK(loaded("cifar10", "some.bin", base).summary == "1 training, 1 validation samples, 3 x 32 x 32");

    writeRaw(base / "pictures/a/1.png", pngFile(1, 1, bytes({1, 2, 3})));
    writeRaw(base / "pictures/b/1.png", pngFile(1, 1, bytes({1, 2, 3})));
    CHECK(loaded("image_folder", (base / "pictures").string(), {}).summary ==
          "1 training, 1 validation samples, 3 x 1 x 1");
}

TEST_CASE("a data set that cannot be split is reported") {
    const TemporaryDirectory directory;
    DatasetConfig config;
    config.kind = DatasetKind::kCifar10;
    CHECK(loadDataset(config).problem().text() ==
          "dataset.path is empty; a data set of the kind cifar10 needs one: name the file or directory");
    config.path = writeRaw(directory.path() / "one.bin", std::string(3073, '\1')).string();
    CHECK_THAT(loadDataset(config).problem().text(), containing("one.bin has too few samples, 1; the minimum is 2"));
}

TEST_CASE("reading any kind of file ends when it is stopped") {
    const TemporaryDirectory directory;
    const auto& base = directory.path();
    writeRaw(base / "table.csv", "1,2\n3,4\n5,6\n");
    writeRaw(base / "x_train.npy", npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }", "abcd"));
    writeRaw(base / "y_train.npy", npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", bytes({0, 1})));
    writeRaw(base / "train-images-idx3-ubyte", idxBytes({2, 1, 1}, "ab"));
    writeRaw(base / "train-labels-idx1-ubyte", idxBytes({2}, bytes({0, 1})));
    writeRaw(base / "some.bin", std::string(3074 * 2, '\1'));
    writeRaw(base / "pictures/a/1.png", pngFile(1, 1, bytes({1, 2, 3})));
    writeRaw(base / "long.txt", std::string(100, 'a') + std::string(100, 'b'));
    std::stop_source stop;
    stop.request_stop();
    for (const auto& [kind, file] :
         std::initializer_list<std::pair<const char*, const char*>>{{"csv", "table.csv"},
                                                                    {"npy", "x_train.npy"},
                                                                    {"idx", "train-images-idx3-ubyte"},
                                                                    {"cifar10", "some.bin"},
                                                                    {"cifar100", "some.bin"},
                                                                    {"image_folder", "pictures"},
                                                                    {"text", "long.txt"}}) {
        INFO(kind);
        const auto split =
            loadDataset({.kind = choiceNamed<DatasetKind>(kind).value(), .path = file}, base, stop.get_token());
        REQUIRE_FALSE(split.ok());
        CHECK_THAT(split.problem().text(),
                   containing("was not read to its end because reading was cancelled: choose the file again"));
    }
}

TEST_CASE("creating any kind of synthetic data set ends when it is stopped") {
    std::stop_source stop;
    stop.request_stop();
    for (const SyntheticShape shape :
         {SyntheticShape::kRegression, SyntheticShape::kBlobs, SyntheticShape::kSpirals, SyntheticShape::kImbalanced}) {
        INFO(nameOf(shape));
        // Too large to be made in a test.
        const auto split =
            loadDataset({.kind = DatasetKind::kSynthetic, .size = 200'000'000, .features = 2, .shape = shape}, {},
                        stop.get_token());
        REQUIRE_FALSE(split.ok());
        CHECK_THAT(split.problem().text(), containing("was not read to its end because reading was cancelled"));
    }
}
