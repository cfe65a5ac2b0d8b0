// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/readers/image_decode.h"
#include "data/readers/image_folder_listing.h"
#include "data/sets/common/array_set.h"
#include "data/sets/files/image_cache.h"

namespace ringside {

// Data set of image files that are decoded on access, resized to one size, RGB from 0 to 1. Reading a missing or
// damaged image throws IoError, which names the file.
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

// Loads the kind "image_folder". imageSize: side in pixels of the square that every image is resized to; 0: the size of
// the first image. If `root` has the folders train and val (or validation, valid, test), the latter is the validation
// part.
Result<DataParts> loadImageFolder(const std::filesystem::path& root, std::int64_t imageSize,
                                  const std::stop_token& stop = {});

// Reads and decodes an image file in its own size.
Result<RgbImage> readImage(const std::filesystem::path& file);

}  // namespace ringside
