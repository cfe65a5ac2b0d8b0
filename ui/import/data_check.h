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
    QString caption;  // the class
};

// A data set that was read as a whole.
struct CheckedData {
    DatasetConfig config;
    DataSplit split;
    std::vector<PreviewClass> classes;    // over both parts; empty for numbers to be predicted
    std::vector<SamplePicture> pictures;  // of some training samples, when they are images
};

// Loads what config names and looks at it. Takes as long as that takes: for a worker thread.
Result<CheckedData> checkData(const DatasetConfig& config, const PictureColors& colors, const std::stop_token& stop);

}  // namespace ringside
