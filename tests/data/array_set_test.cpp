// SPDX-License-Identifier: Apache-2.0
#include "data/sets/common/array_set.h"

#include <algorithm>

#include "data/raw_file.h"
#include "support/catch.h"
#include "support/gzip_packed.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr const char* kImages = "train-images-idx3-ubyte";
constexpr const char* kLabels = "train-labels-idx1-ubyte";

std::string integers(const std::vector<int>& values) {
    const std::string shape = std::to_string(values.size());
    std::string raw;
    for (const int value : values) raw += bytes({value & 255, value >> 8 & 255, value >> 16 & 255, value >> 24 & 255});
    return npyFile("{'descr': '<i4', 'fortran_order': False, 'shape': (" + shape + ",), }", raw);
}

}  // namespace

TEST_CASE("images and the labels in the same folder become samples with pixels from 0 to 1") {
    const TemporaryDirectory directory;
    const auto images = writeRaw(directory.path() / kImages, idxBytes({2, 1, 3}, bytes({0, 51, 255, 102, 0, 0})));
    writeRaw(directory.path() / (std::string(kLabels) + ".gz"), gzipPacked(idxBytes({2}, bytes({4, 2}))));
    const DataParts parts = loadArraySet(images, {}).value();
    CHECK(parts.validation == nullptr);
    CHECK(parts.training->size() == 2);
    CHECK(parts.training->classCount() == 5);
    CHECK(parts.training->label(0) == 4);
    CHECK(parts.training->shape().height == 1);
    CHECK(parts.training->shape().width == 3);
    CHECK(featuresOf(*parts.training, 0) == std::vector<float>{0, 51 / 255.0F, 1});
}

TEST_CASE("the test part in the folder of a training file is used for validation") {
    const TemporaryDirectory directory;
    writeRaw(directory.path() / kImages, idxBytes({2, 1, 1}, bytes({0, 1})));
    writeRaw(directory.path() / kLabels, idxBytes({2}, bytes({0, 1})));
    writeRaw(directory.path() / "t10k-images-idx3-ubyte", idxBytes({3, 1, 1}, bytes({255, 0, 0})));
    // The labels of the validation set are missing.
    CHECK(loadArraySet(directory.path(), {}).value().validation == nullptr);
    writeRaw(directory.path() / "t10k-labels-idx1-ubyte", idxBytes({3}, bytes({1, 0, 6})));
    const DataParts parts = loadArraySet(directory.path(), {}).value();
    CHECK(parts.training->size() == 2);
    REQUIRE(parts.validation != nullptr);
    CHECK(parts.validation->size() == 3);
    CHECK(parts.training->classCount() == 7);
    CHECK(parts.validation->classCount() == 7);
}

TEST_CASE("floating-point labels are numbers to predict") {
    const TemporaryDirectory directory;
    writeRaw(directory.path() / "x_train.npy",
             npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }", bytes({1, 2, 3, 4})));
    writeRaw(directory.path() / "y_train.npy", npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
                                                       bytes({0, 0, 0x80, 0x3f, 0, 0, 0, 0x40})));
    const DataParts parts = loadArraySet(directory.path() / "x_train.npy", {}).value();
    CHECK(parts.training->classCount() == 0);
    CHECK(parts.training->targetCount() == 1);
    std::vector<float> target(1);
    parts.training->targets(1, target);
    CHECK(target[0] == 2);
}

TEST_CASE("channels in last position are moved to the front") {
    const TemporaryDirectory directory;
    const auto samples = writeRaw(directory.path() / "data.npy",
                                  npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 2, 3), }",
                                          bytes({10, 20, 30, 11, 21, 31, 12, 22, 32, 13, 23, 33})));
    const auto labels = writeRaw(directory.path() / "other.npy", integers({0}));
    const auto part = loadArraySet(samples, labels).value().training;
    CHECK(part->shape().channels == 3);
    std::vector<float> expected;
    for (const int value : {10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33}) {
        expected.push_back(static_cast<float>(value) / 255.0F);
    }
    CHECK(featuresOf(*part, 0) == expected);
    CHECK_FALSE(layoutOf({5, 3, 32, 32}).channelsLast);
    CHECK_FALSE(layoutOf({5, 1, 28, 1}).channelsLast);
    CHECK(layoutOf({5, 32, 32, 1}).shape.channels == 1);
    CHECK(layoutOf({5, 2, 2, 2, 2}).shape.features == 16);
    CHECK(layoutOf({5}).shape.features == 1);
}

TEST_CASE("labels that do not match the samples are refused with the remedy") {
    const TemporaryDirectory directory;
    const auto images = writeRaw(directory.path() / "pictures.idx", idxBytes({2, 1, 1}, bytes({0, 1})));
    const auto labels = directory.path() / "l.npy";
    const auto problem = [&](const std::string& content) {
        writeRaw(labels, content);
        return loadArraySet(images, labels).problem().text();
    };
    CHECK_THAT(loadArraySet(images, {}).problem().text(),
               containing("dataset.labels_path is empty, and no file next to"));
    CHECK_THAT(problem(integers({0, 1, 2})), containing("labels 3 samples, but there are 2"));
    CHECK_THAT(problem(integers({0, -1})), containing("gives sample 1 the label -1; labels count from 0"));
    CHECK_THAT(problem(integers({2000000, 0})), containing("gives sample 0 the label 2000000; the maximum is 99999"));
    CHECK_THAT(problem(idxBytes({2, 2}, bytes({0, 1, 1, 0}))), containing("labels must be one integer per sample"));
    CHECK_THAT(problem(idxBytes({0}, "")), containing("labels 0 samples"));
    CHECK_THAT(problem(""), containing("ends after 0 bytes"));
    writeRaw(images, idxBytes({0, 1, 1}, ""));
    CHECK_THAT(loadArraySet(images, labels).problem().text(), containing("holds no samples (0 x 1 x 1)"));
    CHECK_THAT(loadArraySet(directory.path() / "none", {}).problem().text(), containing("none cannot be opened"));
    std::filesystem::create_directory(directory.path() / "empty");
    CHECK_THAT(loadArraySet(directory.path() / "empty", {}).problem().text(),
               containing("is a directory without an IDX file of images"));
}
