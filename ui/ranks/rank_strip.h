// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <QStringList>
#include <optional>
#include <vector>

#include "identity/text_source.h"
#include "models/rank_hosts.h"
#include "ranks/rank_card.h"

namespace ringside {

class ExperimentModel;
class RunData;
class RunModel;
class Theme;

// Strip with one card per rank: the ranks of the shown run or, if there is no run, the ranks that the experiment in the
// form plans.
class RankStrip final : public QScrollArea, public TextSource {
    Q_OBJECT
  public:
    RankStrip(const ExperimentModel& experiment, const RunModel& run, const Theme& theme, QWidget* parent = nullptr);

    const std::vector<RankCard>& cards() const { return m_cards; }
    // Returns the groups of cards, one group per host; empty if the cards are not grouped.
    const std::vector<HostGroup>& hosts() const { return m_hosts; }

    // Sets whether the shown run is live. After the end of the run, a change of the form replaces its cards by cards of
    // the ranks that the form plans.
    void setLive(bool live);
    // Returns the name of the run whose ranks are shown, and the quantity on the cards: samples per second or, on
    // smaller cards, the loss. If the cards show the ranks that the form plans, returns a text with this information.
    QString source() const;
    QString copyText() const override;  // returns one line of text per rank
    // Sets whether the window has lost the connection to the run, whose ranks may still be running.
    void setLost(bool lost);
    // Sets whether the failed run may still be restarted by the program that started it.
    void setMayStartAgain(bool may);

  Q_SIGNALS:
    void sourceChanged(const QString& source);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched,
                     QEvent* event) override;  // updates m_isLow when the height of the window changes

  private:
    class Canvas;
    bool showsRun() const;
    std::int64_t plannedRanks() const;
    RankCard plannedCard(int rank) const;
    static bool showWaitStatus(RankCard& card, const RunData& run);
    RankCard runCard(int rank) const;
    void refresh();
    void showLinks();
    void arrange();
    void measureWindow();
    void dropLossesWithoutRoom();

    const ExperimentModel& m_experiment;
    const RunModel& m_run;
    const Theme& m_theme;
    Canvas* m_canvas;
    std::vector<RankCard> m_cards;
    std::vector<HostGroup> m_hosts;
    std::optional<QStringList> m_onlyReplicas;  // onlyReplicaTexts() of the shown run; empty before its start
    QString m_source;
    bool m_isLow = false;  // true if the window is low, so that only compact or mini cards fit
    bool m_live = false;
    bool m_lost = false;
    bool m_mayStartAgain = false;
};

}  // namespace ringside
