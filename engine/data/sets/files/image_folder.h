// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/readers/image_decode.h"
#include "data/readers/image_folder_listing.h"
#include "data/sets/common/array_set.h"
#include "data/sets/files/image_cache.h"

namespace ringside {

// Images decoded when they are asked for, all resized to one size, RGB from 0 to 1. Reading an image that is missing
// or damaged throws IoError naming the file.
class ImageFolderDataset final : public Dataset {
  public:
    ImageFolderDataset(ImageFolderListing listing, std::int64_t width, std::int64_t height, std::size_t cacheBytes);

    std::int64_t size() const override { return static_cast<std::int64_t>(m_listing.files.size()); }
    SampleShape shape() const override { return {3, m_height, m_width, 3 * m_height * m_width}; }
    std::int64_t classCount() const override { return static_cast<std::int64_t>(m_listing.classes.size()); }
    std::int64_t targetCount() const override { return 0; }
    bool isLazy() const override { return true; }
    std::string className(std::int64_t label) const override;
    void features(std::int64_t index, std::span<float> out) const override;
    std::int64_t label(std::int64_t index) const override;
    void targets(std::int64_t index, std::span<float> out) const override;

    std::filesystem::path file(std::int64_t index) const;

  private:
    ImageFolderListing m_listing;
    std::int64_t m_width;
    std::int64_t m_height;
    mutable ImageCache m_cache;
};

// The kind "image_folder". imageSize: side of the square that every image is resized to, 0 for the size of the first
// image. A root with the folders train and val (or validation, valid, test) brings its own validation part.
Result<DataParts> loadImageFolder(const std::filesystem::path& root, std::int64_t imageSize,
                                  const std::stop_token& stop = {});

// One image file, whole.
Result<RgbImage> readImage(const std::filesystem::path& file);

}  // namespace ringside
