// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/top_bar.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "controls/seek_slider.h"
#include "main_window/time_controls.h"
#include "main_window/window_actions.h"
#include "models/plan_model.h"
#include "theme/theme.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr int kHeight = 52;
constexpr int kButtonWidth = 74;
constexpr int kSliderWidth = 140;
constexpr int kSpeedWidth = 84;

int nearestSpeed(double stepsPerSecond) {
    if (stepsPerSecond <= 0) return TimeControls::kFullSpeed;
    const auto end = TimeControls::kSpeeds.begin() + TimeControls::kFullSpeed;
    const auto nearest = std::min_element(TimeControls::kSpeeds.begin(), end, [&](double one, double other) {
        return std::abs(std::log(one / stepsPerSecond)) < std::abs(std::log(other / stepsPerSecond));
    });
    return static_cast<int>(nearest - TimeControls::kSpeeds.begin());
}

}  // namespace

TopBar::TopBar(const WindowActions& actions, PlanModel& plan, const Theme& theme, QWidget* parent)
    : QFrame(parent), m_plan(plan), m_theme(theme) {
    setObjectName(QStringLiteral("topBar"));
    setProperty("role", "bar");
    setFixedHeight(kHeight);
    addWidgets(actions);
    connect(&plan, &PlanModel::epochChanged, this, &TopBar::refreshEpochs);
    connect(&plan, &PlanModel::planChanged, this, &TopBar::refreshEpochs);
    connect(m_epoch, &QSlider::valueChanged, &plan, &PlanModel::setEpoch);
    refreshEpochs();
    setRunBlocked({});
}

void TopBar::addWidgets(const WindowActions& actions) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(Theme::kSpace4, 0, Theme::kSpace4, 0);
    line->setSpacing(Theme::kSpace2);
    auto* name = new QLabel(QStringLiteral("Ringside"), this);
    name->setProperty("role", "title");
    line->addWidget(name);
    auto* menus = new QMenuBar(this);
    menus->setObjectName(QStringLiteral("menuBar"));
    menus->setNativeMenuBar(false);
    menus->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    actions.fill(*menus);
    line->addWidget(menus, 0, Qt::AlignVCenter);
    line->addSpacing(Theme::kSpace2);
    addButton(actions.run, QStringLiteral("runButton"))->setProperty("role", "accent");
    addButton(actions.pause, QStringLiteral("pauseButton"));
    addButton(actions.step, QStringLiteral("stepButton"));
    addButton(actions.stop, QStringLiteral("stopButton"));
    m_reason = new ElidedLabel(this);
    m_reason->setObjectName(QStringLiteral("runReasonLabel"));
    m_reason->setProperty("role", "problem");
    m_reason->setCursor(Qt::PointingHandCursor);
    connect(m_reason, &ElidedLabel::clicked, this, &TopBar::reasonClicked);
    line->addWidget(m_reason, 1);
    line->addStretch(0);
    addSpeed();
    line->addSpacing(Theme::kSpace2);
    addEpochCursor();
    line->addSpacing(Theme::kSpace3);
    addButton(actions.theme, QStringLiteral("themeButton"));
}

// Returns a push button with the text, tooltip and state of the action.
QPushButton* TopBar::addButton(QAction* action, const QString& name) {
    auto* button = new QPushButton(this);
    button->setObjectName(name);
    button->setMinimumWidth(kButtonWidth);
    button->setFocusPolicy(Qt::TabFocus);
    const auto follow = [button, action] {
        button->setText(action->iconText());
        button->setToolTip(action->toolTip());
        button->setAccessibleName(action->iconText());
        button->setEnabled(action->isEnabled());
    };
    connect(action, &QAction::changed, button, follow);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    follow();
    layout()->addWidget(button);
    return button;
}

// Adds the speed slider; its right end is full speed.
void TopBar::addSpeed() {
    m_speedCaption = new QLabel(tr("Speed"), this);
    m_speedCaption->setProperty("role", "muted");
    m_speed = new SeekSlider(Qt::Horizontal, this);
    m_speed->setObjectName(QStringLiteral("speedSlider"));
    m_speed->setAccessibleName(tr("Speed"));
    m_speed->setToolTip(tr("Slow motion: so many steps a second at most; at the right end, full speed"));
    m_speed->setFixedWidth(kSpeedWidth);
    m_speed->setRange(0, TimeControls::kFullSpeed);
    m_speed->setPageStep(1);
    m_speedCaption->setBuddy(m_speed);
    m_speedText = new QLabel(this);
    m_speedText->setObjectName(QStringLiteral("speedLabel"));
    int widest = 0;
    for (const double speed : TimeControls::kSpeeds)
        widest = std::max(widest, fontMetrics().horizontalAdvance(TimeControls::speedText(speed)));
    m_speedText->setMinimumWidth(widest);
    layout()->addWidget(m_speedCaption);
    layout()->addWidget(m_speed);
    layout()->addWidget(m_speedText);
    setSpeed(0);
    connect(m_speed, &QSlider::valueChanged, this, [this](int index) {
        setSpeed(TimeControls::kSpeeds[static_cast<std::size_t>(index)]);
        Q_EMIT speedChosen(index);
    });
}

void TopBar::setSpeed(double stepsPerSecond) {
    const QSignalBlocker blocker(m_speed);
    m_speed->setValue(nearestSpeed(stepsPerSecond));
    m_speedText->setText(TimeControls::speedText(stepsPerSecond));
}

void TopBar::addEpochCursor() {
    auto* caption = new QLabel(tr("Epoch"), this);
    caption->setProperty("role", "muted");
    m_epoch = new SeekSlider(Qt::Horizontal, this);
    m_epoch->setObjectName(QStringLiteral("epochSlider"));
    m_epoch->setAccessibleName(tr("Epoch"));
    m_epoch->setToolTip(
        tr("The epoch whose shards are shown, counted from 1. PyTorch's set_epoch gets a number that is one lower."));
    m_epoch->setFixedWidth(kSliderWidth);
    m_epoch->setPageStep(1);
    caption->setBuddy(m_epoch);
    m_epochText = new QLabel(this);
    m_epochText->setObjectName(QStringLiteral("epochLabel"));
    layout()->addWidget(caption);
    layout()->addWidget(m_epoch);
    layout()->addWidget(m_epochText);
}

// Shows the reason why Run is disabled in the place of the speed slider.
void TopBar::setRunBlocked(const QString& reason) {
    m_reason->setWhole(reason);
    for (QWidget* one : std::initializer_list<QWidget*>{m_speedCaption, m_speed, m_speedText})
        one->setVisible(reason.isEmpty());
}

void TopBar::refreshEpochs() {
    const QSignalBlocker blocker(m_epoch);
    const int count = std::max(1, m_plan.epochCount());
    m_epoch->setRange(0, count - 1);
    m_epoch->setValue(m_plan.epoch());
    m_epoch->setEnabled(count > 1);
    const QString text = tr("%1 of %2");
    m_epochText->setText(text.arg(epochNumber(m_plan.epoch()), groupedText(count)));
    // Reserves the width of the last epoch's text, so that the slider does not move.
    m_epochText->setMinimumWidth(fontMetrics().horizontalAdvance(text.arg(groupedText(count), groupedText(count))));
}

}  // namespace ringside
