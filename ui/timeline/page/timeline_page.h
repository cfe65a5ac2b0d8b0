// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QElapsedTimer>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTimer>

#include "controls/elided_label.h"
#include "controls/empty_panel.h"
#include "controls/page_stack.h"
#include "pages/page.h"
#include "tables/table_panel.h"
#include "tables/view_export.h"
#include "timeline/lanes/lanes_widget.h"
#include "timeline/lanes/lateness_map.h"
#include "timeline/lanes/phase_legend.h"
#include "timeline/model/timeline_model.h"
#include "timeline/page/verdict_banner.h"
#include "timeline/step/step_panel.h"
#include "timeline/step/step_strip.h"
#include "timeline/whatif/whatif_panel.h"

namespace ringside {

class RunModel;
class StepCursor;

// Page that shows the activity of every rank within its steps on a common clock: late ranks, waiting ranks, and
// predictions for changes.
class TimelinePage : public Page {
    Q_OBJECT
  public:
    // controlProgram: path of ringsidectl, which runs experiments that check a prediction.
    TimelinePage(RunModel& run, StepCursor& cursor, Theme& theme, const QString& controlProgram,
                 QWidget* parent = nullptr);

    TimelineModel& model() { return m_model; }
    QList<QAction*> exportActions() const override { return m_export->saveActions(); }
    QString copyText() const override { return tabText(table()); }
    QList<PageShortcut> shortcuts() const override;
    QWidget* keyboardWidget() const override { return m_lanes; }
    void showLastSteps() override;  // shows the last steps of the run
    void showRank(int rank) override { m_model.chooseRank(rank); }
    bool isSettled() const override { return !m_whatIf->isWorking(); }
    bool showsRunProgress() const override { return true; }

  Q_SIGNALS:
    void recordWanted(int steps);
    void samplesWanted(qint64 step, qint64 epoch, int rank);

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void arrange();
    void fitSide();
    QWidget* makeContent();
    QWidget* makeStrip();
    QWidget* makeLanes();
    QWidget* makeSide();
    void connectParts();
    void applyRun();
    bool isBeforeFirstStep() const;
    void refresh();
    void showEmpty();
    void showWords();
    void showVerdict();
    void showTable();
    void requestRecording();
    void showRecorded();
    TableData table() const;
    ViewExport::Writer traceWriter(const QString& file) const;

    RunModel& m_run;
    Theme& m_theme;
    TimelineModel m_model;
    QTimer m_verdictLater;
    PageStack* m_stack = nullptr;
    EmptyPanel* m_empty = nullptr;
    VerdictBanner* m_banner = nullptr;
    ElidedLabel* m_stripNote = nullptr;
    StepStrip* m_strip = nullptr;
    QBoxLayout* m_row = nullptr;    // layout of the lanes and the numbers of the step
    QGridLayout* m_head = nullptr;  // layout above the lanes: title, legend and the button Live
    PhaseLegend* m_legend = nullptr;
    QLabel* m_title = nullptr;
    QPushButton* m_live = nullptr;
    QLabel* m_clocks = nullptr;  // text about the clock offsets of other hosts; hidden if there are none
    LatenessMap* m_map = nullptr;
    LanesWidget* m_lanes = nullptr;
    QStackedWidget* m_views = nullptr;  // stack of the lanes and their table
    TablePanel* m_table = nullptr;
    QWidget* m_picture = nullptr;
    QWidget* m_side = nullptr;
    StepPanel* m_step = nullptr;
    WhatIfPanel* m_whatIf = nullptr;
    ViewExport* m_export = nullptr;
    bool m_atTheEnd = false;  // true if the view has been moved to the end of a failed run
    std::optional<std::size_t> m_confirmedBeforeRecording;  // number of commands that the run had confirmed when the
                                                            // recording was requested; empty: no request is pending
};

}  // namespace ringside
