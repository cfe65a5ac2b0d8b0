// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <stop_token>

#include "import/data_check.h"

namespace ringside {

// Reads a data file on worker threads: first a quick preview of its start, then the complete file, which may take long.
// A new call replaces the running call without waiting for it.
class ImportJob final : public QObject {
    Q_OBJECT
  public:
    explicit ImportJob(QObject* parent = nullptr) : QObject(parent) {}
    ~ImportJob() override { stop(); }

    // Starts reading the preview. `choices` contains the path, and settings of the user; previewFile() does not detect
    // these settings.
    void loadPreview(const DatasetConfig& choices);
    void check(const DatasetConfig& config, const PictureColors& colors);
    void stop();

  Q_SIGNALS:
    void previewReady(const Result<DataPreview>& preview);
    void checked(const Result<CheckedData>& checked);

  private:
    template <class Make, class Use>
    void start(Make make, Use use);

    quint64 m_number = 0;
    std::stop_source m_stop;
};

}  // namespace ringside
