// SPDX-License-Identifier: Apache-2.0
#include "data/readers/array_file.h"

#include "data/raw_file.h"
#include "support/catch.h"
#include "support/gzip_packed.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

const TemporaryDirectory& directory() {
    static const TemporaryDirectory shared;
    return shared;
}

std::string problemWith(const std::string& content) {
    const auto path = writeRaw(directory().path() / "array", content);
    auto file = ArrayFile::open(path);
    if (!file) return file.problem().text();
    auto values = file.value().readValues();
    return values ? "" : values.problem().text();
}

std::vector<float> floatsIn(const std::string& content) {
    auto file = ArrayFile::open(writeRaw(directory().path() / "array", content));
    REQUIRE(file.ok());
    return std::get<std::vector<float>>(file.value().readValues().value());
}

const std::string kFloatHeader = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";

}  // namespace

TEST_CASE("every IDX type is read in big-endian order") {
    CHECK(floatsIn(bytes({0, 0, 9, 1}) + bigEndian32(2) + bytes({0x80, 0x7f})) == std::vector<float>{-128, 127});
    CHECK(floatsIn(bytes({0, 0, 11, 1}) + bigEndian32(2) + bytes({0xff, 0xfe, 1, 0})) == std::vector<float>{-2, 256});
    CHECK(floatsIn(bytes({0, 0, 12, 1}) + bigEndian32(1) + bytes({0xff, 0xff, 0xff, 0xfd})) == std::vector<float>{-3});
    CHECK(floatsIn(bytes({0, 0, 13, 1}) + bigEndian32(1) + bytes({0x3f, 0xc0, 0, 0})) == std::vector<float>{1.5F});
    CHECK(floatsIn(bytes({0, 0, 14, 1}) + bigEndian32(1) + bytes({0xc0, 4, 0, 0, 0, 0, 0, 0})) ==
          std::vector<float>{-2.5F});
}

TEST_CASE("unsigned bytes stay bytes, compressed or not") {
    const std::string content = idxBytes({2, 2}, bytes({0, 1, 254, 255}));
    for (const std::string& stored : {content, gzipPacked(content)}) {
        auto file = ArrayFile::open(writeRaw(directory().path() / "array", stored)).value();
        CHECK(file.header.format == "IDX");
        CHECK(file.header.shapeText() == "2 x 2");
        CHECK(std::get<0>(file.readValues().value()) == std::vector<std::uint8_t>{0, 1, 254, 255});
    }
}

TEST_CASE("a wrong IDX header is refused before memory is allocated") {
    CHECK_THAT(
        problemWith(idxBytes({60000, 28, 28}, "abc")),
        containing("specifies 60000 x 28 x 28 values of uint8, 47040000 bytes, but at most 3 follow its header"));
    CHECK_THAT(problemWith(gzipPacked(idxBytes({60000, 28, 28}, "abc"))), containing("follow its header"));
    CHECK_THAT(problemWith(idxBytes({4294967295U, 4294967295U, 4294967295U}, "")),
               containing("the maximum is 4294967296"));
    CHECK_THAT(problemWith(gzipPacked(idxBytes({60000, 200, 200}, ""))),
               containing("the maximum is 1073741824 in a gzip file: unpack it (gunzip) and use the unpacked file"));
    CHECK_THAT(problemWith(bytes({0, 0, 8, 0})), containing("0 dimensions (byte 3)"));
    CHECK_THAT(problemWith(bytes({0, 0, 8, 200})), containing("200 dimensions (byte 3)"));
    CHECK_THAT(problemWith(bytes({0, 0, 10, 1})), containing("value type (byte 2) is 10"));
    CHECK_THAT(problemWith(idxBytes({3}, "")), containing("at most 0 follow"));
    CHECK_THAT(problemWith(bytes({0, 0, 8, 2, 0, 0})),
               containing("ends after 6 bytes; 8 were expected for its header"));
}

TEST_CASE("a gzip bomb is stopped at the end that its header specifies") {
    const std::string bomb = idxBytes({16}, std::string(64 << 20, '\0'));
    CHECK_THAT(problemWith(gzipPacked(bomb)), containing("continues after the 24 bytes that its header specifies"));
}

TEST_CASE("a file in neither format is reported") {
    CHECK_THAT(problemWith(""), containing("ends after 0 bytes; 4 were expected for its format's mark"));
    CHECK_THAT(problemWith("PK\3\4zipped"), containing("is neither an IDX nor a NumPy .npy file"));
    CHECK_THAT(problemWith("\x93NUMERIC"), containing("is neither an IDX nor a NumPy .npy file"));
}

TEST_CASE("all forms of a .npy header are read") {
    const auto header = parseNpyHeader("{\"shape\":(3,2,),'fortran_order':False,'descr':'<i8'}\n", "f").value();
    CHECK(header.type == ElementType::kI64);
    CHECK(header.shape == std::vector<std::int64_t>{3, 2});
    CHECK(parseNpyHeader("{'descr': '|u1', 'fortran_order': True, 'shape': (5,)}", "f").ok());
    CHECK(parseNpyHeader("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", "f").value().shape.empty());
}

TEST_CASE("an unreadable .npy file is reported with reason and remedy") {
    const auto header = [](const std::string& text) { return parseNpyHeader(text, "a.npy").problem().text(); };
    CHECK_THAT(header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}"),
               containing("a.npy is in Fortran order: save the array with numpy.save(f, numpy.ascontiguousarray(a))"));
    CHECK_THAT(header("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}"), containing("big-endian"));
    CHECK_THAT(header("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}"), containing("Python objects"));
    CHECK_THAT(header("{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}"), containing("type '<c8'"));
    for (const char* broken :
         {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (2", "[1]",
          "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "{'descr': '<f4",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x"}) {
        CHECK_THAT(header(broken), containing("header that cannot be read"));
    }
    CHECK_THAT(problemWith(std::string("\x93NUMPY\x04\x00", 8)), containing("version 4; 1 to 3 can be read"));
    CHECK_THAT(problemWith(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
               containing("specifies a header of 4294967295"));
    CHECK_THAT(problemWith(npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "")),
               containing("negative size"));
}

TEST_CASE("non-finite values are refused with their sample") {
    const std::string nan = bytes({0, 0, 0xc0, 0x7f});
    const std::string one = bytes({0, 0, 0x80, 0x3f});
    CHECK(floatsIn(npyFile(kFloatHeader, one + one)) == std::vector<float>{1, 1});
    CHECK_THAT(problemWith(npyFile(kFloatHeader, one + nan)), containing("holds nan in sample 1"));
    CHECK_THAT(problemWith(npyFile(kFloatHeader, one + one + one)), containing("continues after the"));
}
