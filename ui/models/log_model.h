// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>

namespace ringside {

class RunModel;

// List model of the run's log lines. Lines that RunData drops are removed. After a failure, the last lines of the
// first failed rank are appended.
class LogModel final : public QAbstractListModel {
    Q_OBJECT
  public:
    enum Role { LevelRole = Qt::UserRole + 1, RankRole, TimeRole, SpeakerRole, TextRole };

    explicit LogModel(const RunModel& run, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QString allText() const;

  private:
    void follow(unsigned changes);
    void addNewLines();
    void addLastLines();

    const RunModel& m_run;
    qint64 m_first = 0;   // index of the oldest shown line in the whole log
    int m_count = 0;      // number of shown lines of RunData
    int m_lastLines = 0;  // number of shown lines of the failed rank
};

}  // namespace ringside
