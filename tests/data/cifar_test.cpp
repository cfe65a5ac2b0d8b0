// SPDX-License-Identifier: Apache-2.0
#include "data/sets/files/cifar.h"

#include <set>

#include "data/raw_file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::string record10(int label, int red, int green, int blue) {
    return bytes({label}) + std::string(1024, static_cast<char>(red)) + std::string(1024, static_cast<char>(green)) +
           std::string(1024, static_cast<char>(blue));
}

}  // namespace

TEST_CASE("CIFAR-10 trains on its batches in the order of their names and validates on the test batch") {
    const TemporaryDirectory directory;
    const auto inner = directory.path() / "cifar-10-batches-bin";
    writeRaw(inner / "data_batch_2.bin", record10(9, 0, 0, 255));
    writeRaw(inner / "data_batch_1.bin", record10(3, 255, 0, 51) + record10(0, 1, 2, 3));
    writeRaw(inner / "test_batch.bin", record10(1, 0, 0, 0));
    const DataParts parts = loadCifar(CifarKind::k10, directory.path()).value();
    REQUIRE(parts.training->size() == 3);
    CHECK(parts.training->label(0) == 3);
    CHECK(parts.training->label(2) == 9);
    CHECK(parts.training->className(9) == "truck");
    CHECK(parts.training->classCount() == 10);
    CHECK(parts.training->shape().channels == 3);
    const auto pixels = featuresOf(*parts.training, 0);
    CHECK(pixels[0] == 1);
    CHECK(pixels[1024] == 0);
    CHECK(pixels[3071] == 51 / 255.0F);
    REQUIRE(parts.validation != nullptr);
    CHECK(parts.validation->label(0) == 1);
}

TEST_CASE("CIFAR-100 uses the fine label, the second byte") {
    const TemporaryDirectory directory;
    const auto file = writeRaw(directory.path() / "train.bin", bytes({19, 99}) + std::string(3072, '\0'));
    const DataParts parts = loadCifar(CifarKind::k100, file).value();
    CHECK(parts.training->label(0) == 99);
    CHECK(parts.training->className(99) == "worm");
    CHECK(parts.training->className(0) == "apple");
    CHECK(parts.validation == nullptr);
    const auto names = cifarClassNames(CifarKind::k100);
    CHECK(std::set(names.begin(), names.end()).size() == 100);
    CHECK(std::is_sorted(names.begin(), names.end()));
}

TEST_CASE("a truncated, empty or wrong CIFAR file is refused with the byte") {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "data_batch_1.bin";
    const auto problem = [&](const std::string& content) {
        writeRaw(path, content);
        return loadCifar(CifarKind::k10, path).problem().text();
    };
    const std::string good = record10(3, 1, 2, 3);
    CHECK_THAT(problem(good + good.substr(0, 100)), containing("ends within a record, after 3173 bytes"));
    CHECK_THAT(problem(good + record10(10, 0, 0, 0)), containing("has the label 10 at byte 3073; the maximum is 9"));
    CHECK_THAT(problem(""), containing("is empty"));
    CHECK_THAT(loadCifar(CifarKind::k100, directory.path()).problem().text(),
               containing("is a directory without train.bin"));
    CHECK_THAT(loadCifar(CifarKind::k10, directory.path() / "none").problem().text(), containing("No such file"));
}
