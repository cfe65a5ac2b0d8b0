// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/form_section.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "experiment/field_row.h"
#include "models/experiment_model.h"
#include "theme/theme.h"

namespace ringside {
namespace {

// Label with wrapped text that gets the width of its layout and the height of the text at this width. Replaces the size
// hint of QLabel, which is slow because it tries several widths.
class WrappedLabel final : public QLabel {
  public:
    using QLabel::QLabel;
    QSize sizeHint() const override { return {0, 0}; }
    QSize minimumSizeHint() const override { return {0, 0}; }
};

}  // namespace

FormSection::FormSection(FormSectionId id, ExperimentModel& model, QWidget* parent)
    : QWidget(parent), m_id(id), m_model(model) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    addTitle(column);
    addRows(column);
    addSentence(column);
}

void FormSection::addTitle(QVBoxLayout* column) {
    m_title = new QHBoxLayout;
    m_title->setSpacing(Theme::kSpace3);
    m_name = new QPushButton(this);
    m_name->setProperty("role", "sectionTitle");
    m_name->setObjectName(sectionTitle(m_id).toLower() + QStringLiteral("FoldButton"));
    m_name->setAccessibleName(tr("Fold %1").arg(sectionTitle(m_id)));
    m_name->setToolTip(tr("Fold or unfold this part of the form"));
    m_name->setCheckable(true);
    m_name->setCursor(Qt::PointingHandCursor);
    connect(m_name, &QPushButton::toggled, this, [this] {
        showName();
        refresh();
    });
    showName();
    m_more = new QPushButton(tr("More"), this);
    m_more->setProperty("role", "disclosure");
    m_more->setObjectName(sectionTitle(m_id).toLower() + QStringLiteral("MoreButton"));
    m_more->setAccessibleName(tr("More fields of %1").arg(sectionTitle(m_id)));
    m_more->setToolTip(tr("Show or hide the rarely used fields"));
    m_more->setCheckable(true);
    m_more->setCursor(Qt::PointingHandCursor);
    connect(m_more, &QPushButton::toggled, this, [this](bool on) {
        m_more->setText(on ? tr("Less") : tr("More"));
        refresh();
    });
    m_title->addWidget(m_name);
    m_title->addStretch(1);
    m_title->addWidget(m_more);
    column->addLayout(m_title);
}

QPushButton* FormSection::addToTitle(const QString& text) {
    auto* button = new QPushButton(text, this);
    button->setProperty("role", "disclosure");
    button->setCursor(Qt::PointingHandCursor);
    m_title->insertWidget(2, button);
    QWidget* before = m_more->previousInFocusChain();
    while ((before->focusPolicy() & Qt::TabFocus) == 0) before = before->previousInFocusChain();
    setTabOrder(before, button);
    setTabOrder(button, m_more);
    return button;
}

void FormSection::showName() {
    m_name->setText((isFolded() ? QStringLiteral("\u25b8 ") : QString()) + sectionTitle(m_id).toUpper());
}

void FormSection::setFolded(bool folded) {
    m_name->setChecked(folded);
}

void FormSection::addRows(QVBoxLayout* column) {
    QHBoxLayout* shared = nullptr;
    for (const FormField& field : formFields()) {
        if (field.section != m_id) continue;
        auto* row = new FieldRow(field, m_model, this);
        m_rows.push_back(row);
        if (field.besidePrevious && shared) {
            shared->addWidget(row, 1, Qt::AlignTop);
            continue;
        }
        shared = new QHBoxLayout;
        shared->setSpacing(Theme::kSpace2);
        if (field.lineCaption) {
            auto* caption = new QLabel(QCoreApplication::translate("form", field.lineCaption), this);
            caption->setProperty("role", "muted");
            shared->addWidget(caption, 1);
        }
        shared->addWidget(row, 1, Qt::AlignTop);  // fields side by side are aligned also if one of them has a hint
        column->addLayout(shared);
    }
    const bool hasMore = std::any_of(m_rows.begin(), m_rows.end(), [](const FieldRow* r) { return r->field().more; });
    m_more->setVisible(hasMore);
}

void FormSection::addSentence(QVBoxLayout* column) {
    const bool boxed = m_id == FormSectionId::Loading;
    m_sentenceFrame = new QFrame(this);
    m_sentenceFrame->setProperty("role", boxed ? "sentence" : "clear");
    auto* inner = new QVBoxLayout(m_sentenceFrame);
    const int margin = boxed ? 10 : 0;
    inner->setContentsMargins(margin, boxed ? Theme::kSpace1 : 0, margin, boxed ? Theme::kSpace1 : 0);
    m_sentence = new WrappedLabel(m_sentenceFrame);
    m_sentence->setObjectName(sectionTitle(m_id).toLower() + QStringLiteral("SentenceLabel"));
    m_sentence->setProperty("role", boxed ? "sentence" : "note");
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    inner->addWidget(m_sentence);
    column->addWidget(m_sentenceFrame);
}

FieldRow* FormSection::row(const char* path) const {
    for (FieldRow* row : m_rows) {
        if (std::string_view(row->field().path) == path) return row;
    }
    return nullptr;
}

bool FormSection::hasProblem() const {
    return std::any_of(m_rows.begin(), m_rows.end(),
                       [this](const FieldRow* row) { return m_model.problemOf(row->field().path) != nullptr; });
}

bool FormSection::hiddenRowHasProblem() const {
    return std::any_of(m_rows.begin(), m_rows.end(), [this](const FieldRow* row) {
        return row->field().more && m_model.problemOf(row->field().path) != nullptr;
    });
}

void FormSection::setExpanded(bool expanded) {
    m_more->setChecked(expanded);
}

void FormSection::refresh() {
    if (!m_more->isChecked() && hiddenRowHasProblem()) return setExpanded(true);  // setExpanded() calls refresh() again
    if (isFolded() && hasProblem()) return setFolded(false);
    m_sentenceFrame->setVisible(!isFolded() && !m_sentence->text().isEmpty());
    for (FieldRow* row : m_rows) {
        const FormField& field = row->field();
        const bool applies = !field.applies || field.applies(m_model.config());
        row->setVisible(!isFolded() && applies && (!field.more || m_more->isChecked()));
        row->refresh();
    }
}

void FormSection::setSentence(const QString& text) {
    m_sentence->setText(text);
    m_sentenceFrame->setVisible(!isFolded() && !text.isEmpty());
}

}  // namespace ringside
