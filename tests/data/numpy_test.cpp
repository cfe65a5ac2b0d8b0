// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "data/readers/array_file.h"
#include "support/catch.h"
#include "support/places.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

const std::filesystem::path& arrays() {
    static const TemporaryDirectory directory;
    static const int status = std::system((placeOf("numpy_python") + " '" + sourceFile("tests/data/write_arrays.py") +
                                           "' '" + directory.path().string() + "'")
                                              .c_str());
    REQUIRE(status == 0);  // the test needs python3-numpy
    return directory.path();
}

std::vector<float> valuesOf(const std::string& name) {
    auto file = ArrayFile::open(arrays() / name);
    REQUIRE(file.ok());
    CHECK(file.value().header.shape == std::vector<std::int64_t>{3, 4, 5});
    const ArrayValues values = file.value().readValues().value();
    return std::visit([](const auto& inner) { return std::vector<float>(inner.begin(), inner.end()); }, values);
}

std::string problemOf(const std::string& name) {
    const auto file = ArrayFile::open(arrays() / name);
    REQUIRE_FALSE(file.ok());
    return file.problem().text();
}

}  // namespace

TEST_CASE("files saved by numpy in any type and version are read") {
    std::vector<float> expected;
    for (int i = 0; i < 60; ++i) expected.push_back(static_cast<float>(37 * i % 101));
    for (const char* name : {"u1", "i1", "i2", "i4", "i8", "f4", "f8", "version1", "version2", "version3"}) {
        INFO(name);
        CHECK(valuesOf(std::string(name) + ".npy") == expected);
    }
}

TEST_CASE("other files saved by numpy are refused for the right reason") {
    CHECK_THAT(problemOf("fortran.npy"), containing("is in Fortran order"));
    CHECK_THAT(problemOf("big_endian.npy"), containing("is big-endian"));
    CHECK_THAT(problemOf("objects.npy"), containing("holds Python objects"));
    CHECK_THAT(problemOf("records.npy"), containing("a structured array"));
    CHECK(ArrayFile::open(arrays() / "scalar.npy").value().header.shape.empty());
}
