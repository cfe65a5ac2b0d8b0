// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/readers/image_decode.h"
#include "data/readers/image_folder_listing.h"
#include "data/sets/common/array_set.h"
#include "data/sets/files/image_cache.h"

namespace ringside {

// torchvision.datasets.ImageFolder with the transforms Resize((height, width)) and ToTensor: image files in one folder
// per class, with the same order of classes and samples.
//
// Images are decoded on access and resized. Features are (3, height, width): the red, green and blue values, from 0
// to 1. Decoded images are kept in a cache, which is owned by the data set. features() throws IoError, which names the
// file, if an image is missing, damaged, packed with gzip or larger than 256 MiB. Thread-safe.
class ImageFolderDataset final : public Dataset {
  public:
    // width, height: size of every sample in pixels. cacheBytes: maximum size of the cache in bytes.
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

    std::filesystem::path file(std::int64_t index) const;  // returns the path of the image of a sample

  private:
    ImageFolderListing m_listing;
    std::int64_t m_width;
    std::int64_t m_height;
    mutable ImageCache m_cache;
};

// Loads the kind "image_folder" without decoding the images. imageSize: side in pixels of the square that every image
// is resized to; 0: every image gets the size of the first image, at most 4096 x 4096 pixels. If `root` has the folders
// train and val (or validation, valid, test), they are the training and the validation part, and each contains the
// folders of the classes. Otherwise, the folders of the classes are in `root`, and there is no validation part.
//
// Problems: those of listImageFolder(), a first image that cannot be read, parts with different classes, and a stop
// request.
Result<DataParts> loadImageFolder(const std::filesystem::path& root, std::int64_t imageSize,
                                  const std::stop_token& stop = {});

// Reads and decodes a JPEG or PNG file in its own size. Problems name the file.
Result<RgbImage> readImage(const std::filesystem::path& file);

}  // namespace ringside
