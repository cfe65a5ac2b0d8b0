// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment_form.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "experiment/experiment_sentences.h"
#include "experiment/field_row.h"
#include "experiment/form_section.h"
#include "experiment/number_spin_box.h"
#include "experiment/throttle_presets.h"
#include "models/experiment_model.h"
#include "theme/theme.h"
#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

// Scroll area that scrolls vertically only. QScrollArea would also scroll sideways when a control gets the focus.
class FormScroll final : public QScrollArea {
  public:
    using QScrollArea::QScrollArea;

  protected:
    void scrollContentsBy(int, int dy) override {
        if (horizontalScrollBar()->value() != 0) horizontalScrollBar()->setValue(0);
        QScrollArea::scrollContentsBy(0, dy);
    }
};

}  // namespace

ExperimentForm::ExperimentForm(ExperimentModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
    auto* content = new QWidget;
    content->setProperty("role", "clear");
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(Theme::kSpace4, 0, Theme::kSpace4, Theme::kSpace3);
    column->setSpacing(Theme::kSpace2 + 2);
    using enum FormSectionId;
    for (const FormSectionId id : {Data, Model, Parallel, Loading, Optimisation}) {
        m_sections.push_back(new FormSection(id, model, content));
        column->addWidget(m_sections.back());
    }
    column->addStretch(1);

    auto* scroll = new FormScroll(this);
    m_scroll = scroll;
    scroll->setObjectName(QStringLiteral("experimentScrollArea"));
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    scroll->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 1);
    whole->addWidget(scroll);

    addBrowseButton();
    addSweepButton();
    addModelSummaryButton();
    addThrottleButton();
    auto* label = qobject_cast<QLineEdit*>(m_sections.front()->row("dataset.label_column")->control());
    label->setPlaceholderText(tr("labels in the last column"));
    auto* side = qobject_cast<NumberSpinBox*>(m_sections.front()->row("dataset.image_size")->control());
    side->setWord(QStringLiteral("0"), tr("unchanged"));
    connect(&model, &ExperimentModel::configChanged, this, &ExperimentForm::refresh);
    connect(&model, &ExperimentModel::loadingSlowly, this, &ExperimentForm::refresh);
    refresh();
}

void ExperimentForm::addBrowseButton() {
    FieldRow* path = m_sections.front()->row("dataset.path");
    auto* browse = new QPushButton(tr("Browse"), path);
    browse->setObjectName(QStringLiteral("browseDataButton"));
    browse->setToolTip(
        tr("Choose the file or folder with the samples. Ringside shows a preview before it uses the data."));
    browse->setAccessibleName(tr("Browse for the file or folder of the data"));
    connect(browse, &QPushButton::clicked, this, &ExperimentForm::browseRequested);
    path->append(browse);
}

void ExperimentForm::addSweepButton() {
    constexpr std::size_t kLoading = 3;
    FieldRow* workers = m_sections[kLoading]->row("loader.num_workers");
    auto* find = new QPushButton(tr("Find"), workers);
    find->setObjectName(QStringLiteral("findWorkersButton"));
    find->setToolTip(tr("Measure how fast the samples load with 0, 1, 2, 4 and 8 workers"));
    find->setAccessibleName(tr("Find the number of data loader workers that loads fastest"));
    connect(find, &QPushButton::clicked, this, &ExperimentForm::sweepRequested);
    workers->append(find);
}

void ExperimentForm::addModelSummaryButton() {
    QPushButton* layers = m_sections[1]->addToTitle(tr("Layers"));
    layers->setObjectName(QStringLiteral("modelSummaryButton"));
    layers->setToolTip(tr("Show the model layer by layer: shapes, parameters, FLOPs and memory (Ctrl+M)"));
    layers->setAccessibleName(tr("Show the model's layers"));
    connect(layers, &QPushButton::clicked, this, &ExperimentForm::summaryRequested);
}

void ExperimentForm::addThrottleButton() {
    QPushButton* throttle = m_sections[2]->addToTitle(tr("Throttle"));
    throttle->setObjectName(QStringLiteral("paceButton"));
    throttle->setToolTip(
        tr("Slow the training steps down to the speed of slower devices, so that you can follow each step"));
    throttle->setAccessibleName(tr("Throttle the ranks"));
    auto* menu = new QMenu(throttle);
    const auto add = [this, menu](const QString& text, const QString& tip, const char* name, ThrottlePreset preset) {
        QAction* action = menu->addAction(text, this, [this, preset] {
            m_model.edit(withThrottle(m_model.config(), m_model.isLoadingSlowly() ? nullptr : m_model.data(), preset),
                         QStringLiteral("pace"));
            if (preset != ThrottlePreset::Off) m_sections[2]->setExpanded(true);
        });
        action->setObjectName(QLatin1String(name));
        action->setToolTip(tip);
    };
    menu->setToolTipsVisible(true);
    add(tr("Four small GPUs"),
        tr("Set 4 ranks, each on a simulated device that needs 30 ms for this model's forward and backward pass"),
        "fourSmallGpusAction", ThrottlePreset::FourSmallGpus);
    add(tr("Slow network"),
        tr("Slow each training step: 30 ms for the forward and backward pass, 60 ms for the all-reduce of the "
           "gradients. The number of ranks does not change."),
        "slowNetworkAction", ThrottlePreset::SlowNetwork);
    add(tr("No throttle: as fast as this computer"),
        tr("Remove the throttle: each step takes the time that this computer needs"), "noPaceAction",
        ThrottlePreset::Off);
    connect(throttle, &QPushButton::clicked, menu,
            [throttle, menu] { menu->popup(throttle->mapToGlobal(throttle->rect().bottomLeft())); });
}

void ExperimentForm::refresh() {
    const RunConfig& config = m_model.config();
    const bool slow = m_model.isLoadingSlowly();
    const DataSplit* split = slow ? nullptr : m_model.data();
    const ComputeChoice compute = m_model.compute();
    const QString workers = workersSentence(config, choiceText(compute.device));
    const QString loading = samplingSentence(config, split);
    const QString sentences[] = {
        slow ? tr("Reading the data...") : dataSentence(config, split), modelSentence(config, split),
        parallelSentence(config, transportSentence(config, compute)),
        workers.isEmpty() ? loading : loading + QLatin1Char('\n') + workers, optimisationSentence(config, split)};
    setRelayoutEnabled(false);
    for (std::size_t i = 0; i < m_sections.size(); ++i) {
        m_sections[i]->refresh();
        m_sections[i]->setSentence(sentences[i]);
    }
    setRelayoutEnabled(true);
}

// Disables or enables the layouts of all sections. While they are disabled, showing many rows computes no layout per
// row.
void ExperimentForm::setRelayoutEnabled(bool enabled) {
    for (FormSection* section : m_sections) section->layout()->setEnabled(enabled);
    m_sections.front()->parentWidget()->layout()->setEnabled(enabled);
}

bool ExperimentForm::focusFirstProblem() {
    return std::ranges::any_of(m_model.problems(),
                               [this](const Problem& problem) { return focusSetting(problem.field.c_str()); });
}

// Computes at once the layouts that contain the row, and the range of the scroll bar. Needed after the row's section
// was unfolded, before the form can scroll to the row.
void ExperimentForm::layOutAround(const FieldRow* row) {
    for (const QWidget* one = row->parentWidget(); one != nullptr && one != m_scroll; one = one->parentWidget())
        if (QLayout* layout = one->layout()) layout->activate();
    QEvent change(QEvent::LayoutRequest);
    QCoreApplication::sendEvent(m_scroll, &change);
}

bool ExperimentForm::focusSetting(const char* path) {
    for (FormSection* section : m_sections) {
        FieldRow* row = section->row(path);
        if (!row) continue;
        section->setFolded(false);
        if (row->field().more) section->setExpanded(true);
        row->control()->setFocus(Qt::ShortcutFocusReason);
        layOutAround(row);
        m_scroll->ensureWidgetVisible(row);
        return true;
    }
    return false;
}

void ExperimentForm::focusLast() {
    QWidget* last = m_scroll->focusWidget();
    if (last == nullptr || last == m_scroll || !last->isVisible())
        last = m_sections.front()->row("dataset.kind")->control();
    last->setFocus(Qt::ShortcutFocusReason);
    m_scroll->ensureWidgetVisible(last);
}

QStringList ExperimentForm::folded() const {
    QStringList names;
    for (const FormSection* section : m_sections) {
        if (section->isFolded()) names << section->name();
    }
    return names;
}

void ExperimentForm::setFolded(const QStringList& sections) {
    for (FormSection* section : m_sections) section->setFolded(sections.contains(section->name()));
}

}  // namespace ringside
