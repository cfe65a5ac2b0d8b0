// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <vector>

#include "models/rank_hosts.h"
#include "ranks/rank_card.h"

namespace ringside {

class ExperimentModel;
class RunData;
class RunModel;
class Theme;

// One card per rank: of the run once there is one, before that of the experiment as it is set up.
class RankStrip final : public QScrollArea {
    Q_OBJECT
  public:
    RankStrip(const ExperimentModel& experiment, const RunModel& run, const Theme& theme, QWidget* parent = nullptr);

    const std::vector<RankCard>& cards() const { return m_cards; }
    // Whose cards stand together; none where hosts say nothing of the ranks.
    const std::vector<HostGroup>& hosts() const { return m_hosts; }

    // A run that is over gives way to the experiment when the form is changed.
    void setLive(bool live);
    // Names the run, or says that the cards are the form's.
    QString source() const;
    // The connection to the run was lost: its ranks may go on, or not.
    void setLost(bool lost);
    // The run failed, and whoever started it may start its ranks again.
    void setMayStartAgain(bool may);

  Q_SIGNALS:
    void sourceChanged(const QString& source);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    class Canvas;
    bool showsRun() const;
    std::int64_t plannedRanks() const;
    RankCard plannedCard(int rank) const;
    static bool markAwaited(RankCard& card, const RunData& run);
    RankCard runCard(int rank) const;
    void refresh();
    void tellLinks();
    void arrange();
    void dropLossesWithoutRoom();

    const ExperimentModel& m_experiment;
    const RunModel& m_run;
    const Theme& m_theme;
    Canvas* m_canvas;
    std::vector<RankCard> m_cards;
    std::vector<HostGroup> m_hosts;
    QString m_source;
    bool m_live = false;
    bool m_lost = false;
    bool m_mayStartAgain = false;
};

}  // namespace ringside
