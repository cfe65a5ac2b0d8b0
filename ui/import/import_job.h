// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <stop_token>

#include "import/data_check.h"

namespace ringside {

// Looks at a data file on worker threads: first what it seems to be, which takes a moment, then whether it loads as a
// whole, which may use long. A new look replaces the one before; nobody waits for one that is no longer wanted.
class ImportJob final : public QObject {
    Q_OBJECT
  public:
    explicit ImportJob(QObject* parent = nullptr) : QObject(parent) {}
    ~ImportJob() override { stop(); }

    // choices: the path, and what previewFile() must not guess.
    void look(const DatasetConfig& choices);
    void check(const DatasetConfig& config, const PictureColors& colors);
    void stop();

  Q_SIGNALS:
    void looked(const Result<DataPreview>& preview);
    void checked(const Result<CheckedData>& checked);

  private:
    template <class Make, class Use>
    void start(Make make, Use use);

    quint64 m_number = 0;
    std::stop_source m_stop;
};

}  // namespace ringside
