// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/page/view_panel.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "shards/balance/balance_view.h"
#include "shards/compare/compare_view.h"
#include "shards/compare/epoch_diff_view.h"
#include "shards/grid/grid_view.h"
#include "shards/history/sample_history_view.h"
#include "shards/map/map_view.h"
#include "shards/mistakes/mistake_effect_view.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

// Returns the first visible control of the page in the order of the Tab key, or the page itself if there is none.
QWidget& firstControl(QWidget& page) {
    for (QWidget* next = page.nextInFocusChain(); next != &page; next = next->nextInFocusChain()) {
        const bool reached = (next->focusPolicy() & Qt::TabFocus) != 0 && next->isEnabled() && next->isVisible();
        if (reached && page.isAncestorOf(next)) return *next;
    }
    return page;
}

}  // namespace

ViewPanel::ViewPanel(Theme& theme, QWidget* parent) : QFrame(parent) {
    setProperty("role", "panel");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(Theme::kSpace4, Theme::kSpace3, Theme::kSpace4, Theme::kSpace4);
    layout->setSpacing(Theme::kSpace2);
    m_toolRow = makeToolRow();
    layout->addWidget(m_toolRow);
    auto* pages = new QWidget;  // parent of the stack, because a stack redraws its parent at every change of page
    pages->setProperty("role", "clear");
    m_stack = new PageStack(pages);
    addViews(theme);
    m_table = new TablePanel(QStringLiteral("shards"));
    m_stack->addWidget(m_table);
    layout->addWidget(pages, 1);
    m_explanation = new ExplanationBox;
    layout->addSpacing(Theme::kSpace1);
    layout->addWidget(m_explanation);
    connectExport();
}

QWidget* ViewPanel::makeToolRow() {
    auto* row = new QWidget;
    row->setProperty("role", "clear");
    m_toolLine = new QBoxLayout(QBoxLayout::LeftToRight, row);
    m_toolLine->setContentsMargins(0, 0, 0, 0);
    auto* layout = new QHBoxLayout;
    const QStringList tips{tr("Samples of each rank in training order"),
                           tr("Rank that trains each sample, in the order of the data set"),
                           tr("Rank and step of the selected sample in each epoch"),
                           tr("Samples of each class by rank and step, compared with a random assignment"),
                           tr("Samples that change rank or step between two epochs"),
                           tr("Compare the experiment with other settings"),
                           tr("Samples that are used, repeated and missed, and the effect of common mistakes")};
    QList<SegmentedControl::Choice> buttons;
    for (const Page::View& view : choices()) {
        buttons << SegmentedControl::Choice{view.title, tips[buttons.size()], view.name + QStringLiteral("ViewButton")};
    }
    m_choice = new SegmentedControl(buttons);
    // The view buttons are never narrower than their texts: if the row is narrow, the search box becomes shorter.
    m_choice->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Preferred);
    m_toolLine->addWidget(m_choice);
    m_toolLine->addLayout(layout, 1);
    m_find = new FindBox;
    layout->addWidget(m_find, 1);
    m_export = new ViewExport(QStringLiteral("shards"));
    layout->addWidget(m_export);
    m_summary = new QPushButton(tr("Summary"));
    m_summary->setObjectName(QStringLiteral("epochSummaryButton"));
    m_summary->setToolTip(tr("Numbers of this epoch, and whether a run trained the planned samples"));
    m_summary->setProperty("role", "segment");
    m_summary->setCheckable(true);
    m_summary->hide();
    layout->addWidget(m_summary);
    connect(m_summary, &QPushButton::toggled, this, &ViewPanel::epochSummaryToggled);
    return row;
}

void ViewPanel::offerEpochSummary(bool offer) {
    m_summary->setVisible(offer);
    fitToolRow();
}

// Makes the buttons of the views narrower if their texts or the search text would be truncated.
void ViewPanel::fitToolRow() {
    const TypePixels kRoomyPanel{760}, kMinFind{150};
    m_choice->setTight(!m_summary->isHidden() || width() < kRoomyPanel);
    const QMargins around = layout()->contentsMargins();
    int room = width() - around.left() - around.right() - kMinFind - m_choice->sizeHint().width();
    for (const QWidget* button : std::initializer_list<QWidget*>{m_export, m_summary})
        if (!button->isHidden()) room -= button->sizeHint().width() + m_toolLine->spacing();
    const bool oneRow = room >= 0;
    m_toolLine->setDirection(oneRow ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_choice->setSizePolicy(oneRow ? QSizePolicy::Minimum : QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ViewPanel::resizeEvent(QResizeEvent*) {
    m_explanation->setRoom(height());
    fitToolRow();
}

// Creates the views in the order of the buttons.
void ViewPanel::addViews(Theme& theme) {
    auto* effects = new MistakeEffectView(theme);
    connect(effects, &MistakeEffectView::mistakeToggled, this, &ViewPanel::mistakeToggled);
    m_views = {new GridView(theme),
               new MapView(theme),
               new SampleHistoryView(theme),
               new BalanceView(theme),
               new EpochDiffView(theme),
               new CompareView(theme),
               effects};
    for (ShardView* view : m_views) {
        m_stack->addWidget(view);
        connect(view, &ShardView::cellChosen, this, &ViewPanel::cellChosen);
        connect(view, &ShardView::cellHovered, this, &ViewPanel::cellHovered);
        connect(view, &ShardView::epochChosen, this, &ViewPanel::epochChosen);
        connect(view, &ShardView::samplerChosen, this, &ViewPanel::samplerChosen);
        connect(view, &ShardView::explanationChanged, this, [this] {
            Q_EMIT explanationChanged();
            // some views compute explanation and table on a worker thread, and emit this signal when both are ready
            if (m_export->tableShown()) refreshTable();
        });
    }
    connect(m_choice, &SegmentedControl::chosen, this, [this] {
        Q_EMIT viewChosen();
        refreshTable();
        if (m_shown != m_choice->current()) m_views[std::exchange(m_shown, m_choice->current())]->freeMemory();
    });
}

QList<Page::View> ViewPanel::choices() {
    return {{QStringLiteral("grid"), tr("Grid"), tr("slots ranks steps cells order assignment")},
            {QStringLiteral("map"), tr("Map"), tr("dataset owner")},
            {QStringLiteral("history"), tr("Sample history"), tr("sample epochs")},
            {QStringLiteral("balance"), tr("Balance"), tr("classes histogram distribution labels")},
            {QStringLiteral("diff"), tr("Epoch diff"), tr("difference compare epochs changes")},
            {QStringLiteral("compare"), tr("A/B"), tr("compare settings side")},
            {QStringLiteral("mistakes"), tr("Effect of mistakes"), tr("pitfalls overlap coverage")}};
}

void ViewPanel::showView(const QString& name) {
    const QList<Page::View> all = choices();
    const auto view = std::ranges::find(all, name, &Page::View::name);
    if (view != all.end()) m_choice->setCurrent(static_cast<int>(view - all.begin()));
}

void ViewPanel::connectExport() {
    m_export->setView([this] { return view().table(); }, [this] { return static_cast<QWidget*>(&view()); });
    connect(m_export, &ViewExport::tableToggled, this, &ViewPanel::refreshTable);
    connect(m_export, &ViewExport::messageReady, this, [this](const QString& sentence, bool failed) {
        explain({failed ? tr("Not saved") : tr("Export"), {sentence}, failed});
    });
    connect(m_table, &TablePanel::rowChosen, this, &ViewPanel::chooseRow);
}

// Shows a page of the stack. The focus is moved first, because Qt would give it to another widget of the window, which
// would be redrawn.
void ViewPanel::showStackPage(int page) {
    const bool focused = m_stack->currentWidget()->isAncestorOf(QApplication::focusWidget());
    if (focused) m_stack->parentWidget()->setFocus();
    m_stack->setCurrentIndex(page);
    if (focused) firstControl(*m_stack->currentWidget()).setFocus();
}

void ViewPanel::refreshTable() {
    const bool table = m_export->tableShown();
    showStackPage(table ? static_cast<int>(m_views.size()) : m_choice->current());
    if (table || m_table->table().rows > 0) m_table->setTable(table ? view().table() : TableData{});
}

// Selects the sample in a row of the table. Does nothing if the table has no column for the sample.
void ViewPanel::chooseRow(qint64 row) {
    const QStringList fields = m_table->table().row(row);
    const auto number = [&](const char* column) {
        const qsizetype at = m_table->table().columns.indexOf(QLatin1String(column));
        bool known = false;
        const qlonglong value = at < 0 ? 0 : fields.value(at).toLongLong(&known);
        return known ? std::optional<qint64>(value) : std::nullopt;
    };
    const auto sample = number("index"), rank = number("rank"), slot = number("slot");
    if (!sample) return;
    const bool placed = rank && slot;
    Q_EMIT rowChosen(*sample, placed ? std::optional(GridCell{static_cast<int>(*rank), *slot}) : std::nullopt);
}

}  // namespace ringside
