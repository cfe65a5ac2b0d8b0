// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/page/picture_table_panel.h"

#include <QLabel>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kMinSentence{90};

}  // namespace

PictureTablePanel::PictureTablePanel(const QString& title, const QString& stem, QWidget* picture, QWidget* parent)
    : QFrame(parent),
      m_head(new FlowLayout),
      m_sentence(new ElidedLabel(this)),
      m_note(new ElidedLabel(this)),
      m_stack(new QStackedLayout),
      m_table(new TablePanel(stem)) {
    setProperty("role", "panel");
    setAccessibleName(title);
    // the copy key (Ctrl+C) copies the text of the panel while it has the keyboard focus
    setFocusPolicy(Qt::StrongFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace2, Theme::kSpace4, Theme::kSpace2);
    column->setSpacing(Theme::kSpace1);
    m_head->setSpacing(Theme::kSpace2);
    auto* name = new QLabel(title);
    name->setProperty("role", "title");
    m_head->addWidget(name);
    m_sentence->setObjectName(stem + QStringLiteral("SentenceLabel"));
    m_sentence->setProperty("role", "muted");
    m_sentence->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    followType(*m_sentence, [this] { m_sentence->setMinimumWidth(kMinSentence); });
    m_head->addWidget(m_sentence);
    column->addLayout(m_head);
    m_stack->addWidget(m_table);
    addPicture(picture);
    m_stack->setCurrentIndex(1);
    column->addLayout(m_stack, 1);
    m_note->setObjectName(stem + QStringLiteral("NoteLabel"));
    m_note->setProperty("role", "note");
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_note->hide();
    column->addWidget(m_note);
}

void PictureTablePanel::setNote(const QString& note) {
    m_note->setWhole(note);
    m_note->setVisible(!note.isEmpty());
}

void PictureTablePanel::addPicture(QWidget* picture) {
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setProperty("role", "clear");
    scroll->viewport()->setAutoFillBackground(false);
    picture->setProperty("role", "clear");
    scroll->setWidget(picture);
    m_stack->addWidget(scroll);
}

void PictureTablePanel::showPicture(int number) {
    m_picture = number;
    showTable(m_asTable);
}

void PictureTablePanel::showTable(bool table) {
    m_asTable = table;
    m_stack->setCurrentIndex(table ? 0 : 1 + m_picture);
}

QString PictureTablePanel::copyText() const {
    const QString numbers = tabText(m_table->table());
    return numbers.isEmpty() ? QString() : m_sentence->text() + QLatin1Char('\n') + numbers;
}

}  // namespace ringside
