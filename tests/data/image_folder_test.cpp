// SPDX-License-Identifier: Apache-2.0
#include "data/sets/files/image_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "data/png_file.h"
#include "support/catch.h"
#include "support/places.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

namespace fs = std::filesystem;

std::string onePixel(int red, int green, int blue) {
    return pngFile(1, 1, bytes({red, green, blue}));
}

std::string outputOf(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    REQUIRE(pipe != nullptr);
    std::string text;
    char buffer[4096];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe.get())) > 0;) text.append(buffer, got);
    return text;
}

std::string listed(const fs::path& root) {
    const auto listing = listImageFolder(root);
    REQUIRE(listing.ok());
    std::string text;
    for (std::size_t i = 0; i < listing.value().files.size(); ++i) {
        text += std::to_string(listing.value().labels[i]) + ' ' + listing.value().files[i] + '\n';
    }
    return text;
}

}  // namespace

TEST_CASE("images are numbered as torchvision numbers them") {
    const TemporaryDirectory directory;
    const fs::path root = directory.path() / "set";
    for (const char* file : {"dog/2.png", "dog/10.png", "dog/1.PNG", "dog/a/1.jpg", "dog/a-b/1.jpg", "dog/a.b/z.jpeg",
                             "dog/notes.txt", "Dog/x.jpg", "cat/\xc3\xa9.png", "cat/z.png", "cat/Z.png", "zebra/_.jpg",
                             "cat/deep/er/1.png", "cat/deep.png/1.png"}) {
        writeRaw(root / file, "x");
    }
    writeRaw(root / "beside.png", "x");
    writeRaw(directory.path() / "elsewhere/q.png", "x");
    fs::create_directory_symlink(directory.path() / "elsewhere", root / "cat/linked");
    fs::create_symlink(directory.path() / "nowhere.png", root / "zebra/broken.png");
    const std::string script = sourceFile("tests/data/list_image_folder.py");
    const std::string expected = outputOf("python3 '" + script + "' '" + root.string() + "'");
    CHECK(expected.find("0 Dog/x.jpg") == 0);
    CHECK(listed(root) == expected);
    CHECK(listed(root.string() + "/") == expected);
}

TEST_CASE("images are returned in one size, channels first, from 0 to 1") {
    const TemporaryDirectory directory;
    writeRaw(directory.path() / "a/1.png", pngFile(2, 1, bytes({255, 0, 51, 0, 255, 102})));
    writeRaw(directory.path() / "b/1.png", onePixel(255, 0, 0));
    const auto set = loadImageFolder(directory.path(), 0).value().training;
    CHECK(set->shape().width == 2);
    CHECK(set->shape().height == 1);
    CHECK(featuresOf(*set, 0) == std::vector<float>{1, 0, 0, 1, 51 / 255.0F, 102 / 255.0F});
    CHECK(featuresOf(*set, 1) == std::vector<float>{1, 1, 0, 0, 0, 0});
    CHECK(set->className(set->label(1)) == "b");
    const auto square = loadImageFolder(directory.path(), 1).value().training;
    CHECK(featuresOf(*square, 0) == std::vector<float>{128 / 255.0F, 128 / 255.0F, 77 / 255.0F});
}

TEST_CASE("a folder with train and val has its own validation part") {
    const TemporaryDirectory directory;
    writeRaw(directory.path() / "train/a/1.png", onePixel(1, 2, 3));
    writeRaw(directory.path() / "train/a/2.png", onePixel(1, 2, 3));
    writeRaw(directory.path() / "val/a/1.png", onePixel(4, 5, 6));
    const DataParts parts = loadImageFolder(directory.path(), 0).value();
    CHECK(parts.training->size() == 2);
    REQUIRE(parts.validation != nullptr);
    CHECK(featuresOf(*parts.validation, 0) == std::vector<float>{4 / 255.0F, 5 / 255.0F, 6 / 255.0F});
    writeRaw(directory.path() / "val/b/1.png", onePixel(4, 5, 6));
    CHECK_THAT(loadImageFolder(directory.path(), 0).problem().text(),
               containing("has 2 class folders, which differ from the 1"));
}

TEST_CASE("a damaged image is an error that names the file, when it is read") {
    const TemporaryDirectory directory;
    writeRaw(directory.path() / "a/1.png", onePixel(1, 2, 3));
    writeRaw(directory.path() / "a/2.png", onePixel(1, 2, 3).substr(0, 40));
    writeRaw(directory.path() / "a/3.jpg", "no image");
    ::mkfifo((directory.path() / "a/4.png").c_str(), 0600);
    const auto set = loadImageFolder(directory.path(), 0).value().training;
    CHECK_NOTHROW(featuresOf(*set, 0));
    CHECK_THROWS_WITH(featuresOf(*set, 1), containing("a/2.png is a damaged PNG image"));
    CHECK_THROWS_WITH(featuresOf(*set, 2), containing("a/3.jpg is neither a JPEG nor a PNG image"));
    CHECK_THROWS_WITH(featuresOf(*set, 3), containing("a/4.png is a pipe, not a file"));
    CHECK_THROWS_AS(featuresOf(*set, 1), IoError);
}

TEST_CASE("a folder that is not an image folder is reported with the missing part") {
    const TemporaryDirectory directory;
    const auto problem = [&] { return loadImageFolder(directory.path(), 0).problem().text(); };
    CHECK_THAT(problem(), containing("has no folders; every class needs one"));
    fs::create_directory(directory.path() / "a");
    CHECK_THAT(problem(), containing("a is a class folder without images"));
    writeRaw(directory.path() / "a/1.webp", "x");
    CHECK_THAT(problem(), containing("a/1.webp has an unsupported format (.webp)"));
    fs::rename(directory.path() / "a/1.webp", directory.path() / "a/1.png");
    fs::create_directory_symlink(directory.path(), directory.path() / "a/loop");
    CHECK_THAT(problem(), containing("is a link to a folder above it"));
    CHECK_THAT(listImageFolder(directory.path() / "none").problem().text(), containing("cannot be read"));
    CHECK_THAT(listImageFolder(directory.path() / "a/1.png").problem().text(), containing("is a file"));
}

TEST_CASE("the cache keeps its size limit and drops the least recently used images") {
    ImageCache cache(10);
    int made = 0;
    const auto find = [&](std::int64_t index) {
        return cache.find(index, [&] {
            ++made;
            return std::vector<std::uint8_t>(4, static_cast<std::uint8_t>(index));
        });
    };
    find(1);
    find(2);
    find(1);
    CHECK(made == 2);
    find(3);  // 2 goes
    CHECK(cache.bytes() == 8);
    find(1);
    CHECK(made == 3);
    CHECK((*find(2))[0] == 2);
    CHECK(made == 4);
    cache.find(9, [] { return std::vector<std::uint8_t>(11); });
    CHECK(cache.bytes() == 8);
}

TEST_CASE("threads that read the same images get the same pixels") {
    const TemporaryDirectory directory;
    for (int i = 0; i < 20; ++i)
        writeRaw(directory.path() / "a" / (std::to_string(i + 10) + ".png"), onePixel(i, 0, 0));
    const ImageFolderDataset set(listImageFolder(directory.path()).value(), 1, 1, 15);
    std::vector<int> wrong(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; ++i) {
                const int index = (i * 7 + static_cast<int>(t)) % 20;
                wrong[t] += featuresOf(set, index)[0] == static_cast<float>(index) / 255.0F ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4, 0));
}
