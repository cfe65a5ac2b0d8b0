// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/explanation_box.h"

#include <QStyle>
#include <QVBoxLayout>

#include "theme/theme.h"

namespace ringside {
namespace {

// Wraps its text in the room it is given and asks for none: working out how high the text would be lays it out several
// times, at every hover.
class RoomyLabel : public QLabel {
  public:
    RoomyLabel() {
        setWordWrap(true);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    }
    bool hasHeightForWidth() const override { return false; }
    QSize sizeHint() const override { return {0, 0}; }
    QSize minimumSizeHint() const override { return {0, 0}; }
};

constexpr int kHeight = 124;  // title and four lines: the loom above does not jump when the text changes

}  // namespace

ExplanationBox::ExplanationBox(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("explanationBox"));
    setProperty("role", "sentence");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(Theme::kSpace4, Theme::kSpace2, Theme::kSpace4, Theme::kSpace2);
    layout->setSpacing(Theme::kSpace1);
    m_title = new QLabel;
    m_title->setObjectName(QStringLiteral("explanationTitleLabel"));
    m_title->setProperty("role", "number");
    m_text = new RoomyLabel;
    m_text->setObjectName(QStringLiteral("explanationLabel"));
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setTextFormat(Qt::RichText);
    layout->addWidget(m_title);
    layout->addWidget(m_text, 1);
    setFixedHeight(kHeight);
}

void ExplanationBox::show(const Explanation& explanation) {
    m_title->setText(explanation.title);
    const QString tone = explanation.warning ? QStringLiteral("danger") : QString();
    if (m_title->property("tone").toString() != tone) {
        m_title->setProperty("tone", tone);
        m_title->style()->unpolish(m_title);
        m_title->style()->polish(m_title);
    }
    QStringList lines;
    for (const QString& line : explanation.lines) {
        lines << QStringLiteral("<div style='line-height: 135%'>%1</div>").arg(line.toHtmlEscaped());
    }
    m_text->setText(lines.join(QString()));
    m_text->setAccessibleName(explanation.lines.join(QLatin1Char(' ')));
}

}  // namespace ringside
