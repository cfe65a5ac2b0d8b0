// SPDX-License-Identifier: Apache-2.0
#include "data/sets/files/image_folder.h"

#include "data/readers/byte_source.h"
#include "data/readers/image_resize.h"
#include "data/sets/common/array_dataset.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

// Size of a rank's cache in bytes; enough for 85,000 images of 32 x 32 pixels.
constexpr std::size_t kCacheBytes = std::size_t{256} << 20;
constexpr std::int64_t kMaxImageSide = 4096;

fs::path partOf(const fs::path& root, std::initializer_list<const char*> names) {
    std::error_code ignored;
    for (const char* name : names) {
        if (fs::is_directory(root / name, ignored)) return root / name;
    }
    return {};
}

Result<bool> checkClasses(const ImageFolderListing& training, const ImageFolderListing& validation) {
    if (training.classes == validation.classes) return true;
    return Problem{validation.root.string(),
                   "has " + std::to_string(validation.classes.size()) + " class folders, which differ from the " +
                       std::to_string(training.classes.size()) + " of " + training.root.string(),
                   "give both parts the same folders, or use the training folder only"};
}

struct Size {
    std::int64_t width = 0;
    std::int64_t height = 0;
};

Result<Size> sizeFor(const ImageFolderListing& listing, std::int64_t imageSize) {
    if (imageSize > 0) return Size{imageSize, imageSize};
    const fs::path first = listing.root / listing.files.front();
    auto image = readImage(first);
    if (!image) return image.problem();
    const Size size{image.value().width, image.value().height};
    if (size.width <= kMaxImageSide && size.height <= kMaxImageSide) return size;
    return Problem{first.string(),
                   "is " + std::to_string(size.width) + " x " + std::to_string(size.height) +
                       " pixels, the size of every sample; the maximum is 4096 per side",
                   "set dataset.image_size, for example to 64"};
}

}  // namespace

Result<RgbImage> readImage(const fs::path& file) {
    auto source = ByteSource::open(file);
    if (!source) return source.problem();
    const std::uint64_t size = source.value().maxBytesLeft();
    if (source.value().packed() || size > kMaxImageFileBytes) {
        return Problem{file.string(), source.value().packed() ? "is packed with gzip" : "is larger than 256 MiB",
                       "replace the file by a JPEG or PNG image"};
    }
    std::vector<std::byte> content(static_cast<std::size_t>(size));
    auto got = source.value().read(content);
    if (!got) return got.problem();
    return decodeImage(std::span(content).first(got.value()), file.string());
}

ImageFolderDataset::ImageFolderDataset(ImageFolderListing listing, std::int64_t width, std::int64_t height,
                                       std::size_t cacheBytes)
    : m_listing(std::move(listing)), m_width(width), m_height(height), m_cache(cacheBytes) {}

std::string ImageFolderDataset::className(std::int64_t label) const {
    RINGSIDE_ASSERT(label >= 0 && label < classCount());
    return m_listing.classes[static_cast<std::size_t>(label)];
}

fs::path ImageFolderDataset::file(std::int64_t index) const {
    RINGSIDE_ASSERT(index >= 0 && index < size());
    return m_listing.root / m_listing.files[static_cast<std::size_t>(index)];
}

std::int64_t ImageFolderDataset::label(std::int64_t index) const {
    RINGSIDE_ASSERT(index >= 0 && index < size());
    return m_listing.labels[static_cast<std::size_t>(index)];
}

void ImageFolderDataset::targets(std::int64_t, std::span<float>) const {
    RINGSIDE_ASSERT(targetCount() > 0);
}

void ImageFolderDataset::features(std::int64_t index, std::span<float> out) const {
    const std::size_t pixels = static_cast<std::size_t>(m_width * m_height);
    RINGSIDE_ASSERT(out.size() == pixels * 3);
    const auto bytes = m_cache.find(index, [&] {
        auto image = readImage(file(index));
        if (!image) throw IoError(image.problem().text());
        return resized(image.value(), m_width, m_height).pixels;
    });
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        for (std::size_t channel = 0; channel < 3; ++channel) {
            out[channel * pixels + pixel] = pixelValue((*bytes)[pixel * 3 + channel]);
        }
    }
}

Result<DataParts> loadImageFolder(const fs::path& root, std::int64_t imageSize, const std::stop_token& stop) {
    const fs::path train = partOf(root, {"train"});
    const fs::path test = train.empty() ? fs::path() : partOf(root, {"val", "validation", "valid", "test"});
    auto listing = listImageFolder(test.empty() ? root : train, stop);
    if (!listing) return listing.problem();
    const auto size = sizeFor(listing.value(), imageSize);
    if (!size) return size.problem();
    const auto make = [&](ImageFolderListing part) {
        return std::make_shared<ImageFolderDataset>(std::move(part), size.value().width, size.value().height,
                                                    kCacheBytes);
    };
    DataParts parts;
    if (!test.empty()) {
        auto validation = listImageFolder(test, stop);
        if (!validation) return validation.problem();
        if (auto same = checkClasses(listing.value(), validation.value()); !same) return same.problem();
        parts.validation = make(std::move(validation).value());
    }
    parts.training = make(std::move(listing).value());
    return parts;
}

}  // namespace ringside
