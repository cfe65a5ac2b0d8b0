// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/finding_row.h"

#include <QRegularExpression>
#include <QResizeEvent>
#include <algorithm>

#include "base/json/json_members.h"
#include "controls/tone.h"
#include "controls/wrapped_text.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kNarrow{560};
constexpr int kEdge = 4;

QString severityText(Severity severity) {
    switch (severity) {
        case Severity::kMistake:
            return FindingRow::tr("Mistake");
        case Severity::kCost:
            return FindingRow::tr("Cost");
        case Severity::kNote:
            return FindingRow::tr("Note");
    }
    return {};
}

const char* toneOf(Severity severity) {
    switch (severity) {
        case Severity::kMistake:
            return "danger";
        case Severity::kCost:
            return "warning";
        case Severity::kNote:
            return "";
    }
    return "";
}

// Adds to `things` the ranks, steps and epochs that a JSON value contains. The key "ranks" can have a list of ranks,
// such as [0, 2], or a number of ranks, such as 4; the number is ignored.
void addThings(std::vector<Identity>& things, const Json& value) {
    const auto add = [&](IdentityKind kind, const Json& one) {
        if (one.is_number_integer()) things.push_back({kind, one.get<std::int64_t>()});
    };
    if (value.is_array()) {
        for (const Json& one : value) addThings(things, one);
    }
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.items()) {
        if (key == "rank") add(IdentityKind::Rank, member);
        if (key == "step" || key == "first_step") add(IdentityKind::Step, member);
        if (key == "epoch") add(IdentityKind::Epoch, member);
        for (const Json& one : member.is_array() ? member : Json::array()) {
            if (key == "ranks") add(IdentityKind::Rank, one);
            if (key == "epochs") add(IdentityKind::Epoch, one);
        }
        addThings(things, member);
    }
}

QLabel* wrapped(const QString& text, const char* role) {
    auto* label = new WrappedText;
    label->setTextFormat(Qt::PlainText);
    label->setProperty("role", role);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setText(text);
    return label;
}

}  // namespace

QString evidenceText(const Finding& finding) {
    constexpr std::size_t kMaxLength = 80;
    const Result<Json> evidence = parseJson(finding.evidence, "evidence");
    if (!evidence || !evidence.value().is_object()) return {};
    QStringList lines;
    for (const auto& [key, value] : evidence.value().items()) {
        std::string text = jsonText(value);
        if (text.size() > kMaxLength) text = text.substr(0, kMaxLength) + " ...";
        lines << QString::fromStdString(key + ": " + text);
    }
    return lines.join(QLatin1Char('\n'));
}

std::vector<Identity> identitiesIn(const Finding& finding) {
    constexpr std::size_t kMaxThings = 16;
    static const QRegularExpression named(QStringLiteral("\\branks? (\\d+(?:(?:, | and )\\d+)*)"),
                                          QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression number(QStringLiteral("\\d+"));
    std::vector<Identity> all;
    for (const QRegularExpressionMatch& list : named.globalMatch(QString::fromStdString(finding.text))) {
        for (const QRegularExpressionMatch& one : number.globalMatch(list.captured(1)))
            all.push_back({IdentityKind::Rank, one.captured().toLongLong()});
    }
    if (const Result<Json> evidence = parseJson(finding.evidence, "evidence")) addThings(all, evidence.value());
    std::ranges::stable_sort(all, [](const Identity& a, const Identity& b) {
        const auto place = [](const Identity& thing) {
            return thing.kind == IdentityKind::Rank ? 0 : thing.kind == IdentityKind::Step ? 1 : 2;
        };
        return place(a) < place(b);
    });
    std::vector<Identity> things;
    for (const Identity& thing : all) {
        const bool isPossible = thing.number >= (thing.kind == IdentityKind::Step ? 1 : 0);
        if (isPossible && things.size() < kMaxThings && std::ranges::find(things, thing) == things.end())
            things.push_back(thing);
    }
    return things;
}

FindingRow::FindingRow(const Finding& finding, bool canOpen, QWidget* parent)
    : QFrame(parent), m_row(new QBoxLayout(QBoxLayout::LeftToRight)), m_things(identitiesIn(finding)) {
    setProperty("role", "findingRow");
    auto* whole = new QHBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(Theme::kSpace3);
    auto* edge = new QFrame;
    edge->setProperty("role", "verdictEdge");
    edge->setFixedWidth(kEdge);
    setTone(edge, toneOf(finding.severity));
    whole->addWidget(edge);
    m_row->setSpacing(Theme::kSpace4);
    whole->addLayout(m_row, 1);
    auto* left = new QVBoxLayout;
    left->setSpacing(2);
    left->addWidget(wrapped(QString::fromStdString(finding.text), "number"));
    QLabel* kind =
        wrapped(tr("%1 (%2)").arg(severityText(finding.severity), QString::fromStdString(finding.code)), "note");
    kind->setToolTip(evidenceText(finding));
    left->addWidget(kind);
    left->addStretch(1);
    m_row->addLayout(left, 3);
    auto* right = new QVBoxLayout;
    right->setSpacing(2);
    addLink(*right, finding, canOpen);
    right->addWidget(wrapped(QString::fromStdString(finding.remedy), "small"));
    right->addStretch(1);
    m_row->addLayout(right, 2);
    setToolTip(evidenceText(finding));
    for (QLabel* label : m_things.empty() ? QList<QLabel*>() : findChildren<QLabel*>())
        label->setContextMenuPolicy(Qt::NoContextMenu);  // the window then receives a right click, and opens its menu
                                                         // of the finding's ranks, steps and epochs
}

std::vector<Identity> FindingRow::identitiesAt(const QPoint&) const {
    return m_things;
}

void FindingRow::addLink(QBoxLayout& column, const Finding& finding, bool canOpen) {
    if (finding.where.empty()) return;
    const QString where = QString::fromStdString(finding.where);
    auto* link = new QPushButton(where);
    link->setObjectName(QStringLiteral("findingLineButton"));
    link->setProperty("role", "lineLink");
    link->setCursor(canOpen ? Qt::PointingHandCursor : Qt::ArrowCursor);
    link->setEnabled(canOpen);
    link->setAccessibleName(tr("Open %1 in the editor").arg(where));
    link->setToolTip(canOpen ? tr("Open this line in the editor that the environment variable VISUAL or EDITOR "
                                  "contains, or in the desktop's default program for the file")
                             : tr("The script cannot be opened: the run directory contains no path of a script that "
                                  "exists on this computer"));
    connect(link, &QPushButton::clicked, this, [this, where] { Q_EMIT lineClicked(where); });
    column.addWidget(link, 0, Qt::AlignLeft);
}

void FindingRow::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    m_row->setDirection(width() < kNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_row->setSpacing(width() < kNarrow ? 2 : Theme::kSpace4);
}

}  // namespace ringside
