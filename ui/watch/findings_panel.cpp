// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/findings_panel.h"

#include <QHBoxLayout>
#include <QResizeEvent>
#include <algorithm>

#include "controls/elided_label.h"
#include "controls/wrapped_text.h"
#include "models/run_model.h"
#include "run/read/run_directory.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "watch/editor_command.h"
#include "watch/finding_row.h"
#include "watch/findings/checks.h"
#include "watch/findings/judgement.h"

namespace ringside {
namespace {

constexpr TypePixels kMinHeight{104};  // minimum height of the panel, in which its header and one finding are visible

QString titleText(const std::string& code) {
    const std::string_view title = titleOf(code);
    return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
}

// Returns the result of a check in the summary of a run. A result that this version of Ringside does not know counts as
// a check that could not be judged, and not as a passed check.
CheckResult resultOf(const SummaryCheck& check) {
    return choiceNamed<CheckResult>(check.result).value_or(CheckResult::kCouldNotJudge);
}

QString countOf(qsizetype count, const QString& one, const QString& many) {
    return count == 0 ? QString() : (count == 1 ? one : many).arg(count);
}

bool isSame(const std::vector<Finding>& one, const std::vector<Finding>& other) {
    return std::ranges::equal(one, other, [](const Finding& a, const Finding& b) {
        return a.code == b.code && a.text == b.text && a.where == b.where;
    });
}

}  // namespace

FindingsPanel::FindingsPanel(RunModel& run, Theme& theme, QWidget* parent)
    : QFrame(parent), m_run(run), m_theme(theme) {
    setObjectName(QStringLiteral("findingsPanel"));
    setProperty("role", "panel");
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace2, Theme::kSpace2, Theme::kSpace3);
    column->setSpacing(Theme::kSpace2);
    addHeader(*column);
    m_content = new QWidget;
    m_content->setProperty("role", "clear");
    auto* inner = new QVBoxLayout(m_content);
    inner->setContentsMargins(0, 0, Theme::kSpace2, 0);
    inner->setSpacing(Theme::kSpace2);
    m_rows = new QVBoxLayout;
    m_rows->setSpacing(Theme::kSpace3);
    inner->addLayout(m_rows);
    m_passed = new WrappedText;
    m_passed->setObjectName(QStringLiteral("passedChecksLabel"));
    m_passed->setProperty("role", "small");
    m_passed->setTextFormat(Qt::RichText);
    inner->addWidget(m_passed);
    m_more = new QPushButton;
    m_more->setObjectName(QStringLiteral("otherChecksButton"));
    m_more->setProperty("role", "disclosure");
    m_more->setCheckable(true);
    m_more->setCursor(Qt::PointingHandCursor);
    m_more->setToolTip(tr("Show or hide the checks that were skipped or could not be decided, with the reasons"));
    connect(m_more, &QPushButton::toggled, this, &FindingsPanel::showChecks);
    inner->addWidget(m_more, 0, Qt::AlignLeft);
    m_reasons = new WrappedText;
    m_reasons->setObjectName(QStringLiteral("otherChecksLabel"));
    m_reasons->setProperty("role", "note");
    m_reasons->setTextFormat(Qt::PlainText);
    m_reasons->setTextInteractionFlags(Qt::TextSelectableByMouse);
    inner->addWidget(m_reasons);
    inner->addStretch(1);
    m_scroll = new QScrollArea;
    m_scroll->setObjectName(QStringLiteral("findingsScrollArea"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_scroll->setWidget(m_content);
    m_content->setAutoFillBackground(false);
    column->addWidget(m_scroll, 1);
    connect(&run, &RunModel::watchedChanged, this, &FindingsPanel::refresh);
    connect(&run, &RunModel::changed, this, [this](unsigned changes) {
        if (changes & kEndChanged) readEnd();
    });
    connect(&run, &RunModel::restarted, this, &FindingsPanel::readEnd);
    connect(&run, &RunModel::expectedChanged, this, &FindingsPanel::refresh);
    connect(&theme, &Theme::changed, this, &FindingsPanel::showChecks);
    readEnd();
}

void FindingsPanel::addHeader(QVBoxLayout& column) {
    auto* line = new QHBoxLayout;
    line->setSpacing(Theme::kSpace3);
    auto* title = new QLabel(tr("Findings"));
    title->setProperty("role", "title");
    m_counts = new ElidedLabel;
    m_counts->setObjectName(QStringLiteral("findingCountsLabel"));
    m_counts->setProperty("role", "muted");
    m_counts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_fold = new QPushButton(tr("Hide"));
    m_fold->setObjectName(QStringLiteral("foldFindingsButton"));
    m_fold->setProperty("role", "link");
    m_fold->setCheckable(true);
    m_fold->setCursor(Qt::PointingHandCursor);
    m_fold->setToolTip(tr("Hide the findings to enlarge the curves, or show them"));
    connect(m_fold, &QPushButton::toggled, this, [this](bool folded) {
        m_fold->setText(folded ? tr("Show") : tr("Hide"));
        fitHeight();
    });
    line->addWidget(title);
    line->addWidget(m_counts, 1);
    line->addWidget(m_fold);
    column.addLayout(line);
}

// Reads the checks and the command from the files of the ended run. They are complete when the last event of the run
// arrives.
void FindingsPanel::readEnd() {
    m_summary.reset();
    m_command.reset();
    const QString& directory = m_run.directory();
    if (m_run.isWatched() && !directory.isEmpty()) {
        m_command = readWatchedCommand(directory);
        if (m_run.data().ended()) {
            const Result<RunSummary> summary = readRunSummary(RunPaths(directory.toStdString()).summary());
            if (summary) m_summary = summary.value();
        }
    }
    showFindings();
    refresh();
}

void FindingsPanel::refresh() {
    setVisible(m_run.isWatched() && !m_run.expected());
    if (isHidden()) return;
    const QString& directory = m_run.directory();
    if (!m_command && !directory.isEmpty()) m_command = readWatchedCommand(directory);
    if (!isSame(m_run.watched().findings(), m_shown)) showFindings();
    showHeader();
    showChecks();
}

void FindingsPanel::showHeader() {
    const auto ofSeverity = [this](Severity severity) {
        return static_cast<qsizetype>(std::ranges::count(m_shown, severity, &Finding::severity));
    };
    QStringList parts{countOf(ofSeverity(Severity::kMistake), tr("%1 mistake"), tr("%1 mistakes")),
                      countOf(ofSeverity(Severity::kCost), tr("%1 cost"), tr("%1 costs")),
                      countOf(ofSeverity(Severity::kNote), tr("%1 note"), tr("%1 notes"))};
    if (m_summary) {
        const auto ofResult = [this](CheckResult result) {
            return static_cast<qsizetype>(std::ranges::count(m_summary->checks, result, resultOf));
        };
        parts << countOf(ofResult(CheckResult::kPassed), tr("%1 check passed"), tr("%1 checks passed"))
              << countOf(ofResult(CheckResult::kSkipped), tr("%1 skipped"), tr("%1 skipped"))
              << countOf(ofResult(CheckResult::kCouldNotJudge), tr("%1 without a result"), tr("%1 without a result"));
    } else if (!m_run.data().ended()) {
        parts << tr("the script is checked every few seconds until it ends");
    }
    parts.removeAll(QString());
    m_counts->setWhole(parts.join(QStringLiteral(", ")));
    m_fold->setVisible(!m_shown.empty() || m_summary);
}

void FindingsPanel::showFindings() {
    m_shown = m_run.watched().findings();
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (const Finding& finding : m_shown) {
        const QString file = QString::fromStdString(finding.where).section(QLatin1Char(':'), 0, -2);
        auto* row = new FindingRow(finding, m_command && !m_command->pathBesideScript(file).isEmpty(), m_content);
        connect(row, &FindingRow::lineClicked, this, &FindingsPanel::openLine);
        m_rows->addWidget(row);
        row->show();
    }
    fitHeight();
}

void FindingsPanel::showChecks() {
    QStringList passed, others;
    for (const SummaryCheck& check : m_summary ? m_summary->checks : std::vector<SummaryCheck>()) {
        const QString title = titleText(check.code);
        const CheckResult result = resultOf(check);
        if (result == CheckResult::kPassed) {
            passed << QStringLiteral("<span style='color:%1'>\u2713</span>&nbsp;%2")
                          .arg(m_theme.colors().goodText.name(),
                               title.toHtmlEscaped().replace(QLatin1Char(' '), QStringLiteral("&nbsp;")));
        } else {
            const QString why = QString::fromStdString(check.why);
            others << (result == CheckResult::kSkipped ? tr("Skipped: %1") : tr("Without a result: %1"))
                          .arg(why.isEmpty() ? title : tr("%1, because %2").arg(title, why));
        }
    }
    std::ranges::sort(others, std::greater<>());  // places checks without a result before skipped checks
    m_passed->setText(passed.join(QStringLiteral(" &emsp; ")));
    m_passed->setVisible(!passed.isEmpty());
    m_more->setText(m_more->isChecked() ? tr("Hide skipped and undecided checks")
                                        : tr("Show %1 skipped or undecided checks").arg(others.size()));
    m_more->setVisible(!others.isEmpty());
    m_reasons->setText(others.join(QLatin1Char('\n')));
    m_reasons->setVisible(m_more->isChecked() && !others.isEmpty());
    fitHeight();
}

void FindingsPanel::openLine(const QString& where) {
    if (!m_command) return;
    const QString file = m_command->pathBesideScript(where.section(QLatin1Char(':'), 0, -2));
    const QString problem = openInEditor(file, where.section(QLatin1Char(':'), -1).toInt());
    if (!problem.isEmpty()) Q_EMIT failed(problem);
}

void FindingsPanel::setMostHeight(int height) {
    if (std::exchange(m_maxHeight, height) != height) fitHeight();
}

void FindingsPanel::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) fitHeight();
}

QSize FindingsPanel::sizeHint() const {
    return {QFrame::sizeHint().width(), m_wantedHeight};
}

void FindingsPanel::fitHeight() {
    const QMargins margins = layout()->contentsMargins();
    const int header = layout()->itemAt(0)->sizeHint().height();
    int height = margins.top() + margins.bottom() + header;
    const bool hasContent = !m_shown.empty() || m_summary;
    m_scroll->setVisible(hasContent && !m_fold->isChecked());
    if (m_scroll->isVisibleTo(this)) {
        const int width = std::max(1, this->width() - margins.left() - margins.right());
        m_content->layout()->activate();
        height += layout()->spacing() + m_content->heightForWidth(width);
    }
    const int most = m_maxHeight > 0 ? std::max<int>(m_maxHeight, kMinHeight) : height;
    m_wantedHeight = std::min(height, most);
    setMinimumHeight(std::min<int>(height, kMinHeight));
    updateGeometry();
}

}  // namespace ringside
