// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/field_row.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QStyle>
#include <QVBoxLayout>

#include "experiment/field_editor.h"
#include "help/help_topics.h"
#include "models/experiment_model.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kControlWidth{132};
constexpr TypePixels kButtonWidth{56};
// maximum width of the label on one line; a wider label wraps, because it would widen the form
constexpr TypePixels kCaptionWidth{118};

const ConfigField& configFieldOf(const FormField& field) {
    const ConfigField* found = findConfigField(field.path);
    RINGSIDE_ASSERT(found != nullptr);
    return *found;
}

void setInvalid(QWidget* widget, bool invalid) {
    if (widget->property("invalid").toBool() == invalid) return;
    widget->setProperty("invalid", invalid);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

}  // namespace

FieldRow::FieldRow(const FormField& field, ExperimentModel& model, QWidget* parent)
    : QWidget(parent), m_field(field), m_model(model) {
    m_editor = FieldEditor::make(configFieldOf(field), QString::fromLatin1(field.stem), this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    m_line = new QHBoxLayout;
    m_line->setSpacing(Theme::kSpace2);
    column->addLayout(m_line);
    addControl(m_line);

    m_problem = new QLabel(this);
    m_problem->setObjectName(QString::fromLatin1(field.stem) + QStringLiteral("ProblemLabel"));
    m_problem->setProperty("role", "problem");
    m_problem->setWordWrap(true);
    m_problem->hide();
    column->addWidget(m_problem);
    if (m_field.path == std::string_view("sampler.set_epoch")) {
        m_hint = new QLabel(this);
        m_hint->setObjectName(QString::fromLatin1(field.stem) + QStringLiteral("HintLabel"));
        m_hint->setProperty("role", "note");
        m_hint->setProperty("tone", "warning");
        m_hint->setWordWrap(true);
        m_hint->hide();
        column->addWidget(m_hint);
    }
    connect(m_editor, &FieldEditor::edited, this, &FieldRow::applyEdit);
}

void FieldRow::addControl(QHBoxLayout* line) {
    setHelpSetting(*this, QString::fromLatin1(m_field.path));
    const QString label = QCoreApplication::translate("form", m_field.label);
    control()->setAccessibleName(label);
    if (auto* box = qobject_cast<QCheckBox*>(control())) {
        box->setText(m_field.lineLabel ? QCoreApplication::translate("form", m_field.lineLabel) : label);
        line->addWidget(box, 1);
        return;
    }
    auto* caption = new QLabel(label, this);
    caption->setProperty("role", "muted");
    caption->setBuddy(control());
    caption->ensurePolished();
    followType(*caption, [caption, label] {
        const bool fits = caption->fontMetrics().horizontalAdvance(label) <= kCaptionWidth;
        caption->setWordWrap(!fits || typePercent() > Theme::kNormalType);
    });
    caption->setToolTip(control()->toolTip());
    const bool wide = m_editor->field().type == FieldType::kText && m_field.path == std::string_view("dataset.path");
    line->addWidget(caption, wide ? 0 : 1);
    line->addWidget(control(), wide ? 1 : 0);
    if (!wide) followType(*control(), [this] { sizeControl(); });
}

QWidget* FieldRow::control() const {
    return m_editor->widget();
}

// Sets the width of the control. A row with an extra button gets a narrower control, because the form must not become
// wider.
void FieldRow::sizeControl() {
    if (m_extra) m_extra->setFixedWidth(kButtonWidth);
    control()->setFixedWidth(m_extra ? kControlWidth - kButtonWidth - m_line->spacing() : int(kControlWidth));
}

void FieldRow::append(QWidget* extra) {
    m_extra = extra;
    if (control()->maximumWidth() == kControlWidth) followType(*extra, [this] { sizeControl(); });
    m_line->addWidget(extra);
    setTabOrder(control(), extra);
}

void FieldRow::applyEdit() {
    RunConfig next = m_model.config();
    const std::optional<Problem> problem = m_editor->store(next);
    const QString path = QString::fromLatin1(m_field.path);
    if (problem) {
        m_model.setInputProblem(m_field.path, QString::fromStdString(problem->message),
                                QString::fromStdString(problem->remedy));
        return;
    }
    m_model.setInputProblem(m_field.path, {}, {});
    m_model.edit(next, path);
}

// Shows the warning that set_epoch is not called, or hides it. A run without set_epoch reports no error, but trains on
// the same order of samples in each epoch.
void FieldRow::showHint() {
    const RunConfig& config = m_model.config();
    const bool forgotten = !config.sampler.setEpoch && config.sampler.shuffle && config.training.epochs > 1;
    m_hint->setVisible(forgotten);
    m_hint->setText(config.training.epochs == 2
                        ? tr("\u26a0 set_epoch is not called: both epochs have the same order of samples")
                        : tr("\u26a0 set_epoch is not called: all %1 epochs have the same order of samples")
                              .arg(config.training.epochs));
    control()->setAccessibleDescription(forgotten ? m_hint->text() : QString());
}

void FieldRow::refresh() {
    m_editor->display(m_model.config());
    if (m_hint) showHint();
    const Problem* problem = m_model.problemOf(m_field.path);
    setInvalid(control(), problem != nullptr);
    m_problem->setVisible(problem != nullptr);
    if (!problem) return;
    // Formats the problem without the field's path, because the text starts with the label of the field.
    const QString text = QString::fromStdString(Problem{{}, problem->message, problem->remedy}.text());
    m_problem->setText(QCoreApplication::translate("form", m_field.label) + QLatin1Char(' ') + inFormWords(text));
    control()->setAccessibleDescription(m_problem->text());
}

}  // namespace ringside
