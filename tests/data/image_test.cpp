// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "base/crypto/sha256.h"
#include "base/json/json.h"
#include "data/png_file.h"
#include "data/readers/image_decode.h"
#include "data/readers/image_resize.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Images that Pillow 9.4.0 (libjpeg-turbo 2.1.5) has written, with the pixels that it has read; recorded once.
const Json& pillow() {
    static const Json json = readJsonFile(sourceFile("tests/data/images_pillow_9_4.json")).value();
    return json;
}

std::string fromHex(const std::string& hex) {
    std::string text;
    for (std::size_t i = 0; i < hex.size(); i += 2) text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return text;
}

Result<RgbImage> decode(const std::string& content) {
    return decodeImage(std::as_bytes(std::span(content)), "picture");
}

std::string contentOf(const std::string& name) {
    for (const Json& image : pillow()["images"]) {
        if (image["name"] == name) return fromHex(image["content"]);
    }
    FAIL("no image " << name);
    return {};
}

}  // namespace

TEST_CASE("JPEG and PNG images of every colour type give Pillow's pixels") {
    for (const Json& expected : pillow()["images"]) {
        INFO(expected["name"]);
        const auto image = decode(fromHex(expected["content"]));
        REQUIRE(image.ok());
        CHECK(image.value().width == expected["width"]);
        CHECK(image.value().height == expected["height"]);
        const std::string pixels = fromHex(expected["pixels"]);
        CHECK(std::string(image.value().pixels.begin(), image.value().pixels.end()) == pixels);
    }
}

TEST_CASE("resizing gives Pillow's bilinear pixels, bit for bit") {
    const RgbImage image = decode(contentOf("png_rgb")).value();
    for (const Json& expected : pillow()["resizes"]) {
        INFO(expected.dump());
        const RgbImage result = resized(image, expected["width"], expected["height"]);
        Sha256 sum;
        sum.add(std::as_bytes(std::span(result.pixels)));
        CHECK(sum.hex() == expected["pixels_sha256"].get<std::string>());
    }
}

TEST_CASE("a PNG written by hand is read") {
    const auto image = decode(pngFile(2, 1, bytes({255, 0, 0, 0, 0, 255}))).value();
    CHECK(image.pixels == std::vector<std::uint8_t>{255, 0, 0, 0, 0, 255});
}

TEST_CASE("images truncated at any length are refused") {
    for (const char* name : {"jpeg_420", "jpeg_progressive", "png_rgb"}) {
        const std::string content = contentOf(name);
        for (const std::size_t size : {content.size() / 4, content.size() / 2, content.size() * 3 / 4}) {
            const auto image = decode(content.substr(0, size));
            INFO(name << " cut to " << size);
            REQUIRE_FALSE(image.ok());
            CHECK_THAT(image.problem().text(), containing("picture is a damaged"));
        }
    }
}

TEST_CASE("a file that is not an image, too large or damaged is reported") {
    CHECK_THAT(decode("").problem().text(), containing("picture is empty"));
    CHECK_THAT(decode("GIF89a").problem().text(), containing("is neither a JPEG nor a PNG image"));
    CHECK_THAT(decode(pngFile(1 << 20, 1 << 20, "")).problem().text(),
               containing("1048576 x 1048576 pixels; the maximum is"));
    CHECK_THAT(decode(pngFile(2000000, 1, "")).problem().text(), containing("is a damaged PNG image"));
    CHECK_THAT(decode(pngFile(0, 1, "")).problem().text(), containing("is a damaged PNG image"));
    std::string crc = pngFile(2, 1, bytes({255, 0, 0, 0, 0, 255}));
    crc[crc.size() - 14] ^= 1;  // changes a byte of the checksum of the pixels
    CHECK_THAT(decode(crc).problem().text(), containing("is a damaged PNG image"));
    std::string jpeg = contentOf("jpeg_420");
    const std::size_t frame = jpeg.find("\xff\xc0");
    jpeg.replace(frame + 5, 4, "\xff\xff\xff\xff");  // a size of 65,535 x 65,535 pixels
    CHECK_THAT(decode(jpeg).problem().text(), containing("pixels") || containing("damaged"));
}
