// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/compare/spec_form.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "controls/elided_label.h"
#include "controls/flow_layout.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr int kLargestNumber = std::numeric_limits<int>::max();
constexpr TypePixels kNumberWidth{78};
constexpr TypePixels kLargestKindWidth{220};
constexpr TypePixels kMinSummary{150};
constexpr double kMinFraction = 0.01;

QLabel* styledLabel(const QString& text, const char* role) {
    auto* label = new QLabel(text);
    label->setProperty("role", role);
    return label;
}

int bounded(std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, -kLargestNumber, kLargestNumber));
}

// Returns the number in the box, or `given` if the user has not changed the box. `given` may be outside the range of
// the box.
std::int64_t valueOf(const QSpinBox& box, std::int64_t given) {
    return box.value() == bounded(given) ? given : box.value();
}

}  // namespace

QComboBox* makeSamplerChoice(const QString& accessibleName) {
    auto* box = new QComboBox;
    box->setAccessibleName(accessibleName);
    for (const std::string_view name : samplerNames()) {
        const QString value = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        box->addItem(choiceLabel(value), value);
        const std::string sentence = samplerSentence(*samplerNamed(name));
        box->setItemData(box->count() - 1, QString::fromStdString(sentence), Qt::ToolTipRole);
    }
    return box;
}

SpecForm::SpecForm(QWidget* parent) : QWidget(parent) {
    setProperty("role", "clear");
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(Theme::kSpace1);
    lines->addWidget(makeFirstLine());
    lines->addWidget(makeSecondLine());
    makeMore();
    enableWhatApplies();
}

QWidget* SpecForm::makeFirstLine() {
    auto* line = new QWidget;
    line->setProperty("role", "clear");
    auto* row = new FlowLayout(line, Theme::kSpace1);
    row->setSpacing(Theme::kSpace1);
    row->addWidget(styledLabel(tr("B"), "number"));
    m_kind = makeSamplerChoice(tr("B: sampler"));
    m_kind->setObjectName(QStringLiteral("compareSamplerComboBox"));
    m_kind->setToolTip(tr("Sampler of B"));
    m_kind->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kind->setMinimumContentsLength(12);
    m_kind->setMaximumWidth(kLargestKindWidth);
    row->addWidget(m_kind);
    connect(m_kind, &QComboBox::activated, this, &SpecForm::edited);
    m_worldSize = addNumber(*row, tr("ranks"), "compareWorldSizeSpinBox", 1, kMaxWorldSize);
    m_batchSize = addNumber(*row, tr("batch"), "compareBatchSizeSpinBox", 1, kLargestNumber);
    m_seed = addNumber(*row, tr("seed"), "compareSeedSpinBox", -kLargestNumber, kLargestNumber);
    m_moreButton = new QPushButton(tr("More"));
    m_moreButton->setObjectName(QStringLiteral("compareMoreButton"));
    m_moreButton->setToolTip(tr("Less common settings of B, and mistakes to try"));
    connect(m_moreButton, &QPushButton::clicked, this, &SpecForm::openMore);
    row->addWidget(m_moreButton);
    auto* reset = new QPushButton(tr("Reset to A"));
    reset->setObjectName(QStringLiteral("compareResetButton"));
    reset->setToolTip(tr("Copy the settings of A to B, with drop_last of the sampler inverted"));
    connect(reset, &QPushButton::clicked, this, &SpecForm::resetRequested);
    row->addWidget(reset);
    return line;
}

QWidget* SpecForm::makeSecondLine() {
    auto* line = new QWidget;
    line->setProperty("role", "clear");
    auto* row = new FlowLayout(line, Theme::kSpace1);
    row->setSpacing(Theme::kSpace3);
    m_shuffle = addSwitch(*row, tr("shuffle"), "compareShuffleCheckBox");
    m_setEpoch = addSwitch(*row, tr("set_epoch"), "compareSetEpochCheckBox");
    m_dropLast = addSwitch(*row, tr("drop_last"), "compareDropLastCheckBox");
    m_dropLast->setToolTip(tr("B: drop_last of the sampler"));
    m_loaderDropLast = addSwitch(*row, tr("drop_last (loader)"), "compareLoaderDropLastCheckBox");
    m_summary = new ElidedLabel;
    m_summary->setProperty("role", "note");
    m_summary->setObjectName(QStringLiteral("compareSummaryLabel"));
    m_summary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_summary->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    followType(*m_summary, [this] { m_summary->setMinimumWidth(kMinSummary); });
    row->addWidget(m_summary);
    return line;
}

QSpinBox* SpecForm::addNumber(QLayout& layout, const QString& label, const char* name, int least, int most) {
    auto* box = new QSpinBox;
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(tr("B: %1").arg(label));
    box->setToolTip(tr("B: %1").arg(label));
    box->setRange(least, most);
    box->setFixedWidth(kNumberWidth);
    auto* pair = new QWidget;  // keeps the label and its box together if the row is broken into lines
    pair->setProperty("role", "clear");
    auto* row = new QHBoxLayout(pair);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Theme::kSpace1);
    row->addWidget(styledLabel(label, "muted"));
    row->addWidget(box);
    layout.addWidget(pair);
    connect(box, &QSpinBox::valueChanged, this, &SpecForm::edited);
    return box;
}

QCheckBox* SpecForm::addSwitch(QLayout& layout, const QString& label, const char* name) {
    auto* box = new QCheckBox(label);
    box->setObjectName(QLatin1String(name));
    box->setToolTip(tr("B: %1").arg(label));
    layout.addWidget(box);
    connect(box, &QCheckBox::toggled, this, &SpecForm::edited);
    return box;
}

void SpecForm::makeMore() {
    m_more = new QFrame(this, Qt::Popup);
    m_more->setObjectName(QStringLiteral("compareMorePanel"));
    m_more->setProperty("role", "panel");
    auto* form = new QFormLayout(m_more);
    form->setContentsMargins(Theme::kSpace4, Theme::kSpace3, Theme::kSpace4, Theme::kSpace3);
    m_numSamples =
        addMoreNumber(*form, tr("Number of draws (0: all samples)"), "compareNumSamplesSpinBox", 0, kLargestNumber);
    m_classWeights = new QLineEdit;
    m_classWeights->setObjectName(QStringLiteral("compareClassWeightsEdit"));
    m_classWeights->setPlaceholderText(tr("1 / class size"));
    form->addRow(tr("Class weights"), m_classWeights);
    connect(m_classWeights, &QLineEdit::editingFinished, this, &SpecForm::edited);
    m_subsetFraction = new QDoubleSpinBox;
    m_subsetFraction->setObjectName(QStringLiteral("compareSubsetFractionSpinBox"));
    m_subsetFraction->setRange(kMinFraction, 1);
    m_subsetFraction->setSingleStep(0.1);
    form->addRow(tr("Fraction of samples in the subset"), m_subsetFraction);
    connect(m_subsetFraction, &QDoubleSpinBox::valueChanged, this, &SpecForm::edited);
    m_subsetSeed = addMoreNumber(*form, tr("Seed that selects the subset"), "compareSubsetSeedSpinBox", -kLargestNumber,
                                 kLargestNumber);
    m_seedPerRank = addMoreSwitch(*form, tr("Mistake: different seed on each rank"), "compareSeedPerRankCheckBox");
    m_doubleSharding = addMoreSwitch(*form, tr("Mistake: data sharded twice"), "compareDoubleShardingCheckBox");
    m_wrongRank =
        addMoreNumber(*form, tr("Mistake: hard-coded rank"), "compareWrongRankSpinBox", -1, kMaxWorldSize - 1);
    m_wrongRank->setSpecialValueText(tr("correct rank"));
    m_wrongWorldSize =
        addMoreNumber(*form, tr("Mistake: hard-coded world size"), "compareWrongWorldSizeSpinBox", 0, kMaxWorldSize);
    m_wrongWorldSize->setSpecialValueText(tr("correct size"));
    m_shuffleWithSampler =
        addMoreSwitch(*form, tr("Mistake: also pass shuffle=True"), "compareShuffleWithSamplerCheckBox");
}

QSpinBox* SpecForm::addMoreNumber(QFormLayout& form, const QString& label, const char* name, int least, int most) {
    auto* box = new QSpinBox;
    box->setObjectName(QLatin1String(name));
    box->setRange(least, most);
    form.addRow(label, box);
    connect(box, &QSpinBox::valueChanged, this, &SpecForm::edited);
    return box;
}

QCheckBox* SpecForm::addMoreSwitch(QFormLayout& form, const QString& label, const char* name) {
    auto* box = new QCheckBox(label);
    box->setObjectName(QLatin1String(name));
    form.addRow(box);
    connect(box, &QCheckBox::toggled, this, &SpecForm::edited);
    return box;
}

void SpecForm::openMore() {
    m_more->adjustSize();
    m_more->move(
        m_moreButton->mapToGlobal(QPoint(m_moreButton->width() - m_more->width(), m_moreButton->height() + 2)));
    m_more->show();
}

void SpecForm::edited() {
    if (m_filling) return;
    enableWhatApplies();
    Q_EMIT changed();
}

void SpecForm::enableWhatApplies() {
    const SamplerKind kind = samplerNamed(m_kind->currentData().toString().toStdString()).value();
    const bool weighted = kind == SamplerKind::kWeighted || kind == SamplerKind::kDistributedWeighted;
    const bool subset = kind == SamplerKind::kSubset, distributed = kind == SamplerKind::kDistributed;
    m_setEpoch->setEnabled(usesSetEpoch(kind));
    m_dropLast->setEnabled(takesDropLast(kind));
    m_numSamples->setEnabled(mayRepeatSamples(kind));
    m_classWeights->setEnabled(weighted);
    m_subsetFraction->setEnabled(subset);
    m_subsetSeed->setEnabled(subset);
    for (QWidget* mistake : std::initializer_list<QWidget*>{m_seedPerRank, m_doubleSharding, m_wrongRank,
                                                            m_wrongWorldSize, m_shuffleWithSampler}) {
        mistake->setEnabled(distributed);
    }
}

void SpecForm::setSpec(const ShardSpec& spec, bool setEpoch) {
    m_filling = true;
    m_given = spec;
    m_kind->setCurrentIndex(static_cast<int>(spec.kind));
    m_worldSize->setValue(bounded(spec.worldSize));
    m_batchSize->setValue(bounded(spec.batchSize));
    m_seed->setValue(bounded(spec.seed));
    m_shuffle->setChecked(spec.shuffle);
    m_setEpoch->setChecked(setEpoch);
    m_dropLast->setChecked(spec.dropLast);
    m_loaderDropLast->setChecked(spec.loaderDropLast);
    m_numSamples->setValue(bounded(spec.numSamples));
    m_classWeights->setText(integerListText(spec.classWeights));
    m_subsetFraction->setValue(spec.subsetFraction);
    m_subsetSeed->setValue(bounded(spec.subsetSeed));
    m_seedPerRank->setChecked(spec.pitfalls.seedPerRank);
    m_doubleSharding->setChecked(spec.pitfalls.doubleSharding);
    m_wrongRank->setValue(bounded(spec.pitfalls.wrongRank));
    m_wrongWorldSize->setValue(bounded(spec.pitfalls.wrongWorldSize));
    m_shuffleWithSampler->setChecked(spec.pitfalls.shuffleWithSampler);
    enableWhatApplies();
    m_filling = false;
}

ShardSpec SpecForm::spec(const ShardSpec& base, std::int64_t epoch) const {
    ShardSpec spec = m_given;
    spec.datasetSize = base.datasetSize;
    spec.kind = samplerNamed(m_kind->currentData().toString().toStdString()).value();
    spec.epoch = m_setEpoch->isChecked() || !usesSetEpoch(spec.kind) ? epoch : 0;
    spec.worldSize = m_worldSize->value();
    spec.batchSize = valueOf(*m_batchSize, m_given.batchSize);
    spec.seed = valueOf(*m_seed, m_given.seed);
    spec.shuffle = m_shuffle->isChecked();
    spec.dropLast = m_dropLast->isChecked();
    spec.loaderDropLast = m_loaderDropLast->isChecked();
    spec.numSamples = m_numSamples->value();
    spec.classWeights = parseIntegerList(m_classWeights->text()).value_or(m_given.classWeights);
    if (!qFuzzyCompare(m_subsetFraction->value(), m_given.subsetFraction)) {
        spec.subsetFraction = m_subsetFraction->value();
    }
    spec.subsetSeed = valueOf(*m_subsetSeed, m_given.subsetSeed);
    spec.pitfalls = {};
    if (spec.kind == SamplerKind::kDistributed) {
        spec.pitfalls = {m_seedPerRank->isChecked(), m_doubleSharding->isChecked(), m_wrongRank->value(),
                         m_wrongWorldSize->value(), m_shuffleWithSampler->isChecked()};
    }
    return spec;
}

void SpecForm::setSummary(const QString& text, bool problem) {
    m_summary->setWhole(text);
    const QString role = problem ? QStringLiteral("problem") : QStringLiteral("note");
    if (m_summary->property("role").toString() == role) return;
    m_summary->setProperty("role", role);
    m_summary->style()->unpolish(m_summary);
    m_summary->style()->polish(m_summary);
}

}  // namespace ringside
