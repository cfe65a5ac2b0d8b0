// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>
#include <map>

#include "strategy/page/strategy_tables.h"
#include "strategy/scene/strategy_process.h"
#include "strategy/scene/strategy_scene.h"

namespace ringside {

class Theme;

// Table with one row per strategy: predicted and measured numbers for the experiment's model and world size. A click on
// a row puts the settings of this strategy into the experiment form.
class ChoicesTable final : public QTableWidget {
    Q_OBJECT
  public:
    explicit ChoicesTable(Theme& theme, QWidget* parent = nullptr);

    void setScene(const StrategyScene& scene);
    void setFigures(const QString& strategy, const StrategyFigures& figures);
    void setProof(const QString& strategy, const StrategyProof& proof);
    void clearMeasuredNumbers();
    TableData table() const;
    int wholeHeight() const;  // returns the height in pixels at which all rows are visible
    // Returns the names of the strategies that this experiment can use and that `ringsidectl prove` tests.
    QStringList provedStrategies() const;

  Q_SIGNALS:
    void chosen(const std::string& strategy);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fill();
    void scrollToCurrent();
    void fillRow(int row, const StrategyChoice& choice);
    void setCell(int row, int column, const QString& text, bool current, const QString& tip = {});
    void showRefusal(int row, const StrategyChoice& choice);
    void fillPredicted(int row, const StrategyChoice& choice, const StrategyFigures& seen);
    void fillMeasured(int row, const StrategyChoice& choice, const StrategyFigures& seen);
    void fillSameBits(int row, const StrategyChoice& choice);
    QString proofText(const std::string& name) const;
    // Returns the tooltip of the expected time of a step. known: true if this time is based on a measurement on this
    // computer.
    QString expectedTip(bool known) const;

    Theme& m_theme;
    std::vector<StrategyChoice> m_choices;
    std::string m_current;     // name of the strategy that the experiment uses
    bool m_throttled = false;  // true if the experiment throttles its ranks
    std::map<std::string, StrategyFigures> m_figures;
    std::map<std::string, StrategyProof> m_proofs;
};

}  // namespace ringside
