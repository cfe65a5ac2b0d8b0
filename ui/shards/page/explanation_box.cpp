// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/page/explanation_box.h"

#include <QStyle>
#include <QTextDocument>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

// Label that wraps its text within the size that its layout provides, and requests no size of its own. Otherwise Qt
// would lay out the text several times for each explanation to compute the required height.
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

// Heights of the box: for a title and four lines, for four lines close together in a low panel, and for two lines in
// the lowest panel. They do not depend on the text, so that the grid above does not move.
constexpr TypePixels kHeight{124}, kLowHeight{102}, kMinHeight{72};
constexpr int kLowPanel = 520, kMinPanel = 400;
constexpr int kLineHeight = 135, kLowLineHeight = 105;  // height of a line, in percent of the font's line height

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
    // A right click reaches the window, which then shows the context menu of the sample, rank or step that the text
    // explains.
    m_text->setContextMenuPolicy(Qt::NoContextMenu);
    layout->addWidget(m_title);
    layout->addWidget(m_text, 1);
    setFixedHeight(kHeight);
}

void ExplanationBox::setRoom(int panelHeight) {
    const int before = maximumHeight();
    setFixedHeight(panelHeight >= kLowPanel ? kHeight : panelHeight >= kMinPanel ? kLowHeight : kMinHeight);
    if (maximumHeight() != before) showLines();
}

// Returns the first `count` lines as HTML, followed by an ellipsis if there are more lines.
QString ExplanationBox::html(int lineHeight, qsizetype count) const {
    QString text;
    for (qsizetype at = 0; at < count; ++at) {
        const bool isCut = at + 1 == count && count < m_lines.size();
        text += QStringLiteral("<div style='line-height: %1%'>%2%3</div>")
                    .arg(lineHeight)
                    .arg(m_lines[at].toHtmlEscaped(), isCut ? QStringLiteral(" ...") : QString());
    }
    return text;
}

// True if the lines fit below the title.
bool ExplanationBox::fits(const QString& text, const QFont& font) const {
    QTextDocument document;
    document.setDocumentMargin(0);
    document.setDefaultFont(font);
    document.setHtml(text);
    document.setTextWidth(m_text->width());
    return document.size().height() <= m_text->height() + 1;
}

// Shows all lines with the normal spacing. If they do not fit, reduces the spacing, then the font size, then the number
// of lines. The tooltip contains all lines.
void ExplanationBox::showLines() {
    const bool low = maximumHeight() < kHeight;
    const qsizetype all = m_lines.size();
    QString text = html(low ? kLowLineHeight : kLineHeight, all);
    bool small = false;
    if (!fits(text, font())) {
        text = html(kLowLineHeight, all);
        small = !fits(text, font());
    }
    if (m_text->property("role").toString() != QLatin1String(small ? "small" : "")) {
        m_text->setProperty("role", small ? "small" : "");
        m_text->style()->unpolish(m_text);
        m_text->style()->polish(m_text);
    }
    for (qsizetype count = all; small && count > 1 && !fits(text, m_text->font());)
        text = html(kLowLineHeight, --count);
    m_text->setText(text);
    setToolTip(QStringLiteral("<qt>%1</qt>").arg(html(kLowLineHeight, all)));
}

void ExplanationBox::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    layout()->activate();
    showLines();
}

void ExplanationBox::show(const Explanation& explanation) {
    m_title->setText(explanation.title);
    const QString tone = explanation.warning ? QStringLiteral("danger") : QString();
    if (m_title->property("tone").toString() != tone) {
        m_title->setProperty("tone", tone);
        m_title->style()->unpolish(m_title);
        m_title->style()->polish(m_title);
    }
    m_lines = explanation.lines;
    m_things = explanation.things;
    showLines();
    m_text->setAccessibleName(explanation.lines.join(QLatin1Char(' ')));
}

std::vector<Identity> ExplanationBox::identitiesAt(const QPoint&) const {
    return m_things;
}

QString ExplanationBox::copyText() const {
    return m_title->text() + QLatin1Char('\n') + m_lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace ringside
