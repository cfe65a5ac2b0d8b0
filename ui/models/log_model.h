// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>

namespace ringside {

class RunModel;

// The run's log lines for a list view; old lines leave as RunData forgets them. After a failure the first failed rank's
// own last lines follow.
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
    qint64 m_first = 0;   // running number of the oldest shown line
    int m_count = 0;      // lines of RunData shown
    int m_lastLines = 0;  // lines of the failed rank shown
};

}  // namespace ringside
