// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <stop_token>
#include <vector>

#include "data/preview/preview.h"
#include "shards/cells/sample_image.h"

namespace ringside {

struct SamplePicture {
    QImage image;
    QString caption;  // name of the sample's class
};

// Result of reading a complete data set.
struct CheckedData {
    DatasetConfig config;
    DataSplit split;
    std::vector<PreviewClass> classes;    // classes of training and validation samples; empty for regression data
    std::vector<SamplePicture> pictures;  // pictures of some training samples; empty if the samples are not images
};

// Loads the data set of `config` and counts the samples of each class. Call on a worker thread, because this may take
// long.
Result<CheckedData> checkData(const DatasetConfig& config, const PictureColors& colors, const std::stop_token& stop);

}  // namespace ringside
