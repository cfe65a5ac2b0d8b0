// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/summary/epoch_summary_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QStyle>

#include "controls/tone.h"
#include "controls/wrapped_text.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr qsizetype kUsualRows = 11;

const char* toneName(Tone tone) {
    switch (tone) {
        case Tone::Good:
            return "good";
        case Tone::Warning:
            return "warning";
        case Tone::Danger:
            return "danger";
        case Tone::Normal:
            break;
    }
    return "";
}

QLabel* titled(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "title");
    return label;
}

}  // namespace

EpochSummaryPanel::EpochSummaryPanel(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme) {
    setObjectName(QStringLiteral("epochSummaryPanel"));
    setProperty("role", "clear");
    setAccessibleName(tr("Summary of the epoch"));
    setFocusPolicy(Qt::StrongFocus);  // so that the copy key (Ctrl+C) copies the panel's numbers
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(Theme::kSpace4, Theme::kSpace3, Theme::kSpace4, Theme::kSpace3);
    layout->setSpacing(0);
    layout->addWidget(titled(tr("Summary")));
    layout->addSpacing(Theme::kSpace1);
    m_rowsBox = new QWidget;
    m_rowsBox->setProperty("role", "clear");
    auto* rows = new QVBoxLayout(m_rowsBox);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    layout->addWidget(m_rowsBox);
    layout->addSpacing(Theme::kSpace5);
    auto* heading = new QLabel(tr("Planned and actual samples"));
    heading->setProperty("role", "number");
    layout->addWidget(heading);
    layout->addSpacing(Theme::kSpace1);
    m_verification = new QLabel;
    m_verification->setObjectName(QStringLiteral("verificationLabel"));
    m_verification->setWordWrap(true);
    m_verification->setToolTip(
        tr("Every rank reports a hash of the samples that it trained on. The hash is compared with the plan."));
    layout->addWidget(m_verification);
    m_progress = new QLabel;
    m_progress->setObjectName(QStringLiteral("runProgressLabel"));
    m_progress->setProperty("role", "muted");
    m_progress->setWordWrap(true);
    m_progress->hide();
    layout->addWidget(m_progress);
    m_follow = new QCheckBox(tr("Follow the run"));
    m_follow->setObjectName(QStringLiteral("followRunCheck"));
    m_follow->setToolTip(tr("Shows the epoch that is being trained. Moving the epoch slider turns this off."));
    m_follow->hide();
    layout->addWidget(m_follow);
    layout->addSpacing(2);
    m_hash = new QLabel;
    m_hash->setObjectName(QStringLiteral("orderHashLabel"));
    m_hash->setProperty("role", "note");
    m_hash->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_hash->setToolTip(
        tr("Beginning of the SHA-256 hash of this epoch's order of samples (as little-endian int64). Every computer "
           "that shuffles like PyTorch gets the same hash."));
    layout->addWidget(m_hash);
    m_extra = new QVBoxLayout;
    m_extra->setSpacing(Theme::kSpace1);
    m_extra->setContentsMargins(0, Theme::kSpace5, 0, Theme::kSpace3);
    layout->addLayout(m_extra);
    layout->addStretch(1);
    setVerification({}, Tone::Normal);
    // Creates the usual number of rows in advance, because creating them when the first plan is shown would block the
    // window.
    while (m_rows.size() < kUsualRows) m_rows.append(addRow());
    m_rowsShown = m_rows.size();
    showRows(0);
}

EpochSummaryPanel::RowLabels EpochSummaryPanel::addRow() {
    auto* line = m_rows.isEmpty() ? nullptr : new QFrame;
    if (line != nullptr) {
        line->setProperty("role", "line");
        m_rowsBox->layout()->addWidget(line);
    }
    auto* frame = new QFrame;
    frame->setProperty("role", "epochSummaryRow");
    frame->setAttribute(Qt::WA_Hover);
    frame->installEventFilter(this);
    auto* row = new QHBoxLayout(frame);
    row->setContentsMargins(0, Theme::kSpace1, 0, Theme::kSpace1);
    RowLabels labels{frame, new WrappedText, new QLabel, line};  // WrappedText breaks a long name into lines, so that
                                                                 // the value stays visible
    labels.name->setProperty("role", "muted");
    labels.value->setProperty("role", "number");
    labels.value->setFont(m_theme.numberFont());
    labels.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    labels.value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(labels.name, 1);
    row->addWidget(labels.value);
    m_rowsBox->layout()->addWidget(frame);
    for (QWidget* part : QList<QWidget*>{frame, labels.name, labels.value}) part->ensurePolished();
    return labels;
}

bool EpochSummaryPanel::eventFilter(QObject* watched, QEvent* event) {
    const bool enters = event->type() == QEvent::Enter;
    if (enters || event->type() == QEvent::Leave) {
        for (const RowLabels& row : m_rows) {
            if (row.frame != watched) continue;
            Q_EMIT rowHovered(enters ? row.name->text() : QString(),
                              enters ? row.frame->accessibleDescription() : QString());
        }
    }
    return QFrame::eventFilter(watched, event);
}

// Shows `count` rows. Their box is hidden meanwhile, because each row that appears in a visible box causes a layout of
// the whole page.
void EpochSummaryPanel::showRows(qsizetype count) {
    if (count == m_rowsShown) return;
    m_rowsShown = count;
    m_rowsBox->hide();
    while (m_rows.size() < count) m_rows.append(addRow());
    for (qsizetype at = 0; at < m_rows.size(); ++at) {
        if (m_rows[at].line != nullptr) m_rows[at].line->setVisible(at < count);
        m_rows[at].frame->setVisible(at < count);
    }
    m_rowsBox->show();
}

void EpochSummaryPanel::setRows(const QList<EpochSummaryRow>& rows) {
    showRows(rows.size());
    for (qsizetype at = 0; at < m_rows.size(); ++at) {
        const EpochSummaryRow row = at < rows.size() ? rows[at] : EpochSummaryRow{};
        m_rows[at].name->setText(row.name);
        m_rows[at].value->setText(row.value);
        m_rows[at].frame->setAccessibleDescription(row.tip);
        m_rows[at].frame->setToolTip(
            QStringLiteral("<qt>%1</qt>")
                .arg(row.tip.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"))));
        m_rows[at].value->setAccessibleName(row.name);
        setTone(m_rows[at].value, toneName(row.tone));
    }
}

QString EpochSummaryPanel::copyText() const {
    QString text;
    for (qsizetype at = 0; at < m_rowsShown; ++at)
        text += m_rows[at].name->text() + QLatin1Char('\t') + m_rows[at].value->text() + QLatin1Char('\n');
    for (const QLabel* label : {m_verification, m_progress, m_hash})
        if (!label->isHidden() && !label->text().isEmpty()) text += label->text() + QLatin1Char('\n');
    return m_rowsShown == 0 ? QString() : text;
}

void EpochSummaryPanel::setOrderHash(const QString& hash) {
    m_hash->setText(hash.isEmpty() ? QString() : tr("order hash %1").arg(hash));
}

void EpochSummaryPanel::setProgress(const QString& sentence) {
    m_progress->setText(sentence);
    m_progress->setVisible(!sentence.isEmpty());
}

void EpochSummaryPanel::setVerification(const QString& sentence, Tone tone) {
    const QString text =
        sentence.isEmpty() ? tr("Click Run to compare the samples of each rank with this plan.") : sentence;
    if (text == m_verification->text() && m_verification->property("tone").toString() == QLatin1String(toneName(tone)))
        return;
    m_verification->setText(text);
    m_verification->setProperty("role", sentence.isEmpty() ? "muted" : "");
    m_verification->style()->unpolish(m_verification);
    m_verification->style()->polish(m_verification);
    setTone(m_verification, toneName(tone));
}

}  // namespace ringside
