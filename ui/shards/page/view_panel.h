// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QFrame>

#include "controls/page_stack.h"
#include "controls/segmented_control.h"
#include "pages/page.h"
#include "shards/find/find_box.h"
#include "shards/mistakes/mistake_switches.h"
#include "shards/page/explanation_box.h"
#include "shards/scene/shard_view.h"
#include "tables/table_panel.h"
#include "tables/view_export.h"

namespace ringside {

class Theme;

// Views of a plan, of which one is visible, as a picture or as a table, with controls above and an explanation below.
class ViewPanel : public QFrame {
    Q_OBJECT
  public:
    explicit ViewPanel(Theme& theme, QWidget* parent = nullptr);

    ShardView& view() const { return *m_views[m_choice->current()]; }
    static QList<Page::View> choices();
    void showView(const QString& name);
    FindBox& find() const { return *m_find; }
    ViewExport& exporter() const { return *m_export; }
    QWidget* explanationBox() const { return m_explanation; }
    void explain(const Explanation& explanation) { m_explanation->show(explanation); }
    // Shows a button for the summary if the page has no room for it beside the views.
    void offerEpochSummary(bool offer);
    bool epochSummaryWanted() const { return m_summary->isChecked(); }
    int toolRowBottom() const { return m_toolRow->geometry().bottom() + 1; }
    void refreshTable();  // updates the table of the current view if the table is visible

  Q_SIGNALS:
    void viewChosen();  // emitted when another view is visible
    void cellChosen(ringside::GridCell cell);
    void cellHovered(std::optional<ringside::GridCell> cell);
    void epochChosen(int epoch);
    void samplerChosen(const QString& kind);
    void explanationChanged();
    void epochSummaryToggled(bool shown);
    void mistakeToggled(ringside::Mistake mistake, bool made);
    // Emitted when the user has chosen a row of the table. `cell` is empty if the table has no columns for rank and
    // slot.
    void rowChosen(qint64 sample, std::optional<ringside::GridCell> cell);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void addViews(Theme& theme);
    QWidget* makeToolRow();
    void connectExport();
    void fitToolRow();
    void showStackPage(int page);
    void chooseRow(qint64 row);

    QWidget* m_toolRow = nullptr;
    QPushButton* m_summary = nullptr;
    QBoxLayout* m_toolLine = nullptr;  // layout of the controls above the view, in one row or two
    SegmentedControl* m_choice = nullptr;
    FindBox* m_find = nullptr;
    ViewExport* m_export = nullptr;
    PageStack* m_stack = nullptr;
    QList<ShardView*> m_views;
    int m_shown = 0;
    TablePanel* m_table = nullptr;
    ExplanationBox* m_explanation = nullptr;
};

}  // namespace ringside
