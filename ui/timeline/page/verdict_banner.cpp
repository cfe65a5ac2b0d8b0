// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/page/verdict_banner.h"

#include <QCoreApplication>
#include <QVBoxLayout>

#include "controls/flow_layout.h"
#include "controls/tone.h"
#include "controls/wrapped_text.h"
#include "telemetry/data/missing_ranks.h"
#include "telemetry/data/run_verdict.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr int kEdgeWidth = 4;
constexpr TypePixels kMinTexts{300};

QString translated(const char* source) {
    return QCoreApplication::translate("Verdict", source);
}

QString withCapital(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

TimelineVerdict ofSteps(const StepsVerdict& steps) {
    TimelineVerdict verdict;
    const QString text = inFormWords(QString::fromStdString(steps.text));
    const qsizetype cut = text.indexOf(QLatin1String("; "));
    verdict.title = cut < 0 ? text : text.left(cut) + QLatin1Char('.');
    verdict.detail = cut < 0 ? QString() : withCapital(text.mid(cut + 2));
    if (!steps.advice.empty())
        verdict.detail += (verdict.detail.isEmpty() ? QString() : QStringLiteral(" ")) +
                          inFormWords(QString::fromStdString(steps.advice));
    verdict.rank = steps.rank;
    if (steps.finding == StepsFinding::kBalanced) verdict.tone = TimelineVerdict::Tone::Good;
    if (steps.namesRank()) verdict.tone = TimelineVerdict::Tone::Warning;
    return verdict;
}

}  // namespace

TimelineVerdict timelineVerdict(const TimelineModel& model) {
    const RunData& run = model.run();
    const QString traced = translated("The last steps of every rank are shown below.");
    if (run.ended() && run.ended()->state == RunOutcome::kFailed) {
        QString title = withCapital(inFormWords(QString::fromStdString(run.ended()->verdict)));
        const qsizetype cut = title.indexOf(QLatin1String(": "));
        TimelineVerdict verdict{title, traced, TimelineVerdict::Tone::Danger, run.ended()->firstFailedRank};
        if (cut > 0 && title.size() > 80) {
            verdict.title = title.left(cut) + QLatin1Char('.');
            const QString rest = withCapital(title.mid(cut + 2));
            verdict.detail =
                rest + (rest.endsWith(QLatin1Char('.')) ? QString() : QStringLiteral(".")) + QLatin1Char(' ') + traced;
        }
        return verdict;
    }
    if (const auto missingRanks = findMissingRanks(run.ranks()); missingRanks && model.isLive()) {
        const QString text = withCapital(QString::fromStdString(missingRanks->text(run.lastTimeUs())));
        return {text + QLatin1Char('.'),
                translated("The other ranks are blocked until every rank has arrived. ") + traced,
                TimelineVerdict::Tone::Danger, missingRanks->missing.front()};
    }
    if (model.trace() == nullptr) return {};
    return ofSteps(verdictOf(run, *model.trace()));
}

VerdictBanner::VerdictBanner(QWidget* parent) : QFrame(parent) {
    setProperty("role", "verdict");
    setObjectName(QStringLiteral("verdictBanner"));
    setFocusPolicy(Qt::ClickFocus);  // so that the copy key copies the verdict
    m_row = new QHBoxLayout(this);
    m_row->setContentsMargins(0, 0, Theme::kSpace3, 0);
    m_row->setSpacing(Theme::kSpace2);
    m_edge = new QFrame;
    m_edge->setProperty("role", "verdictEdge");
    m_edge->setFixedWidth(kEdgeWidth);
    m_row->addWidget(m_edge);
    auto* parts = new FlowLayout(nullptr, 0);  // the buttons stand below the texts if the banner is narrow
    parts->setSpacing(Theme::kSpace2);
    m_row->addLayout(parts, 1);
    auto* both = new QWidget;
    both->setProperty("role", "clear");
    both->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    followType(*both, [both] { both->setMinimumWidth(kMinTexts); });
    auto* texts = new QVBoxLayout(both);
    texts->setContentsMargins(Theme::kSpace2, Theme::kSpace2, 0, Theme::kSpace2);
    texts->setSpacing(2);
    m_title = new WrappedText;
    m_title->setObjectName(QStringLiteral("verdictTitleLabel"));
    m_title->setProperty("role", "title");
    m_detail = new WrappedText;
    m_detail->setObjectName(QStringLiteral("verdictDetailLabel"));
    texts->addWidget(m_title);
    texts->addWidget(m_detail);
    parts->addWidget(both);
    auto* buttons = new QWidget;
    buttons->setProperty("role", "clear");
    m_buttons = new QHBoxLayout(buttons);
    m_buttons->setContentsMargins(Theme::kSpace2, Theme::kSpace1, 0, Theme::kSpace1);
    m_buttons->setSpacing(Theme::kSpace2);
    parts->addWidget(buttons);
    m_whatIf = new QPushButton(tr("What if ..."));
    m_whatIf->setObjectName(QStringLiteral("whatIfButton"));
    m_whatIf->setProperty("role", "accent");
    m_whatIf->setToolTip(tr("Predict how long these steps would take after a change"));
    connect(m_whatIf, &QPushButton::clicked, this, &VerdictBanner::whatIfWanted);
    m_buttons->addWidget(m_whatIf);
    m_record = new QPushButton(tr("Record 50 steps"));
    m_record->setObjectName(QStringLiteral("recordButton"));
    setRecording(tr("No run is live"));
    connect(m_record, &QPushButton::clicked, this, &VerdictBanner::recordWanted);
    m_buttons->addWidget(m_record);
}

void VerdictBanner::setExports(QPushButton* exports) {
    m_buttons->addWidget(exports);
}

void VerdictBanner::setRecording(const QString& reasonNot, bool now) {
    const bool can = reasonNot.isEmpty();
    m_record->setEnabled(can && !now);
    m_record->setText(can && now ? tr("Recording ...") : tr("Record 50 steps"));
    m_record->setToolTip(!can  ? reasonNot
                         : now ? tr("Recording 50 steps. They appear after the last of them.")
                               : tr("Trace each of the next 50 steps, including layers"));
}

QString VerdictBanner::copyText() const {
    return (m_title->text() + QLatin1Char(' ') + m_detail->text()).trimmed() + QLatin1Char('\n');
}

std::vector<Identity> VerdictBanner::identitiesAt(const QPoint&) const {
    return m_rank < 0 ? std::vector<Identity>() : std::vector<Identity>{{IdentityKind::Rank, m_rank}};
}

void VerdictBanner::setVerdict(const TimelineVerdict& verdict) {
    m_rank = verdict.rank;
    if (m_title->text() != verdict.title) m_title->setText(verdict.title);
    if (m_detail->text() != verdict.detail) m_detail->setText(verdict.detail);
    m_detail->setVisible(!verdict.detail.isEmpty());
    using Tone = TimelineVerdict::Tone;
    const char* tone = verdict.tone == Tone::Danger    ? "danger"
                       : verdict.tone == Tone::Warning ? "warning"
                       : verdict.tone == Tone::Good    ? "good"
                                                       : "plain";
    setTone(m_edge, tone);
}

}  // namespace ringside
