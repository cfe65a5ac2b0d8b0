// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <optional>

#include "charts/chart_panel.h"
#include "controls/empty_panel.h"
#include "controls/segmented_control.h"
#include "pages/page.h"
#include "replicas/contribution_picture.h"
#include "replicas/gradient_picture.h"
#include "replicas/ring_panel.h"
#include "tables/table_panel.h"
#include "tables/view_export.h"

class QStackedLayout;

namespace ringside {

class RunModel;

// Page that shows one training step on all replicas with the run's real numbers: the local gradient of each rank, the
// mean gradient, the weight change, the contribution of each rank and its samples, whether all replicas are identical,
// and the steps of a ring all-reduce. Shows one pipeline stage at a time.
class ReplicasPage : public Page {
    Q_OBJECT
  public:
    ReplicasPage(const RunModel& run, Theme& theme, QWidget* parent = nullptr);

    QList<QAction*> exportActions() const override { return m_export->saveActions(); }
    QString copyText() const override { return tabText(table()); }
    QList<PageShortcut> shortcuts() const override;
    QList<View> views() const override;
    void showView(const QString& name) override;
    bool showsRunProgress() const override { return true; }
    void showStep(std::optional<qint64> step, qint64, std::optional<int> goToRank) override {
        if (step && goToRank) showStep(*step);
    }
    void showStep(qint64 step);  // shows the ranks' contributions to a step, with or without recorded gradients

  Q_SIGNALS:
    void inspectionWanted(int steps);  // requests the inspection of the next `steps` steps of the live run
    void samplesWanted(qint64 step, qint64 epoch, int rank);

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    enum Picture { Gradients, Contribution, Ring };

    QWidget* makeToolRow();
    QWidget* makeCharts();
    void placeCharts();
    QPushButton* addButton(const QString& text, const QString& tip, const char* name);
    void redraw();
    void readConfig();
    void showTools();
    void showEmpty();
    void showCurrentView();
    void showContribution();
    void showCharts();
    void showOtherStep(int by);  // shows the previous (by = -1) or next (by = 1) step with recorded gradients
    // Returns the number of the visible step: the chosen step, which may not have been inspected, or else the latest
    // step that the picture can show; empty if there is none.
    std::optional<std::int64_t> shownStepNumber() const;
    // returns the visible step; null if its complete gradients are not recorded
    const InspectedStep* shownStep() const;
    QList<std::int64_t> choosableSteps() const;
    bool isLive() const;
    QString reasonForNothing() const;
    std::vector<int> shownRanks() const;
    TableData table() const;

    const RunModel& m_run;
    Theme& m_theme;
    QStackedLayout* m_stack = nullptr;
    EmptyPanel* m_empty = nullptr;
    QLabel* m_sentence = nullptr;
    QLabel* m_pull = nullptr;
    SegmentedControl* m_choice = nullptr;
    QPushButton *m_inspect = nullptr, *m_follow = nullptr, *m_before = nullptr, *m_after = nullptr;
    QLabel* m_stepName = nullptr;
    QComboBox* m_stage = nullptr;  // choice of the pipeline stage; shown for pipelines only
    ViewExport* m_export = nullptr;
    QStackedLayout* m_pictures = nullptr;
    GradientPicture* m_gradients = nullptr;
    ContributionPicture* m_pulls = nullptr;
    RingPanel* m_ring = nullptr;
    QWidget* m_charts = nullptr;
    QBoxLayout* m_chartsLine = nullptr;
    ChartPanel *m_norms = nullptr, *m_cosines = nullptr;
    TablePanel* m_table = nullptr;
    std::optional<RunConfig> m_config;     // experiment of the run
    std::optional<std::int64_t> m_chosen;  // step that the user has chosen; empty: the page shows the latest step
    // true if the user chose the step m_chosen on another page; it may have no recorded gradients
    bool m_clicked = false;
};

}  // namespace ringside
