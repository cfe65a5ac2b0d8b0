// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>

namespace ringside {

class RunModel;

// List model with one row per log line of the run. When RunData drops old lines, their rows are removed. After a
// failure, the last output lines of the first failed rank are appended.
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
    qint64 m_first = 0;   // number of lines that RunData has dropped before the oldest shown line
    int m_count = 0;      // number of rows that show the lines of RunData; the last output lines follow
    int m_lastLines = 0;  // number of rows with the last output lines of the failed rank
};

}  // namespace ringside
