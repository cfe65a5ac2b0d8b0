// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QGridLayout>
#include <QLabel>

#include "controls/latest_work.h"
#include "shards/mistakes/mistake_effect_report.h"
#include "shards/mistakes/mistake_switches.h"
#include "shards/mistakes/overlap_matrix.h"
#include "shards/scene/shard_view.h"

namespace ringside {

class Theme;

// View of the used, repeated and missed samples, with switches for common mistakes above.
class MistakeEffectView : public ShardView {
    Q_OBJECT
  public:
    explicit MistakeEffectView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64>, std::optional<GridCell>) override {}
    std::optional<Explanation> explanation() const override { return m_explanation; }
    TableData table() const override;
    bool isSettled() const override { return !m_work.isBusy(); }

  Q_SIGNALS:
    void mistakeToggled(ringside::Mistake mistake, bool made);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeNumbers();
    void setReport(const MistakeEffectReport& report);
    void fillRows(const QList<MistakeEffectRow>& rows, bool withoutMistakes);

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    std::optional<MistakeEffectReport> m_report;
    std::optional<Explanation> m_explanation;
    MistakeSwitches* m_switches = nullptr;
    QBoxLayout* m_parts = nullptr;  // layout that contains the table of numbers and the matrix
    QGridLayout* m_rows = nullptr;
    QList<QList<QLabel*>> m_cells;  // labels by row and column; the first row has the headings
    OverlapMatrix* m_matrix = nullptr;
    LatestWork m_work;
};

}  // namespace ringside
