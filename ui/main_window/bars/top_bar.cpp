// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/bars/top_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "controls/epoch_slider.h"
#include "controls/seek_slider.h"
#include "main_window/actions/window_actions.h"
#include "main_window/bars/time_controls.h"
#include "models/plan_model.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr TypePixels kOneRow{52}, kTwoRows{80};
constexpr TypePixels kButtonWidth{74};
constexpr TypePixels kSliderWidth{140};
constexpr TypePixels kSpeedWidth{84};
constexpr int kMinSlider = 48;

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
    addWidgets(actions);
    connect(&plan, &PlanModel::epochChanged, this, &TopBar::refreshEpochs);
    connect(&plan, &PlanModel::planChanged, this, &TopBar::refreshEpochs);
    connect(m_epoch, &QSlider::valueChanged, &plan, &PlanModel::setEpoch);
    followType(*this, [this] { sizeForType(); });
    setRunBlocked({});
}

void TopBar::addWidgets(const WindowActions& actions) {
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(Theme::kSpace4, 0, Theme::kSpace4, 0);
    m_grid->setHorizontalSpacing(Theme::kSpace2);
    m_grid->setVerticalSpacing(0);
    m_grid->setColumnStretch(2, 1);
    auto* name = new QLabel(QStringLiteral("Ringside"), this);
    name->setProperty("role", "title");
    m_menus = new QMenuBar(this);
    m_menus->setObjectName(QStringLiteral("menuBar"));
    m_menus->setNativeMenuBar(false);
    m_menus->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    actions.fill(*m_menus);
    m_grid->addWidget(name, 0, 0);
    m_grid->addWidget(m_menus, 0, 1, Qt::AlignVCenter);
    addControls(actions);
    m_themeButton = makeButton(actions.theme, QStringLiteral("themeButton"));
    m_grid->addWidget(m_themeButton, 0, 3);
    placeControls(false);
}

// Adds the buttons Run, Pause, Step, Phase and Stop, the slider of the speed and the slider of the epoch.
void TopBar::addControls(const WindowActions& actions) {
    m_controls = new QWidget(this);
    m_controls->setObjectName(QStringLiteral("timeControls"));
    m_controls->setProperty("role", "clear");
    auto* line = new QHBoxLayout(m_controls);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(Theme::kSpace2);
    m_buttons = {makeButton(actions.run, QStringLiteral("runButton")),
                 makeButton(actions.pause, QStringLiteral("pauseButton")),
                 makeButton(actions.step, QStringLiteral("stepButton")),
                 makeButton(actions.phase, QStringLiteral("phaseButton")),
                 makeButton(actions.stop, QStringLiteral("stopButton"))};
    m_buttons.first()->setProperty("role", "accent");
    for (QPushButton* button : m_buttons) line->addWidget(button);
    m_reason = new ElidedLabel(m_controls);
    m_reason->setObjectName(QStringLiteral("runReasonLabel"));
    m_reason->setProperty("role", "problem");
    m_reason->setCursor(Qt::PointingHandCursor);
    connect(m_reason, &ElidedLabel::clicked, this, &TopBar::reasonClicked);
    line->addWidget(m_reason, 1);
    line->addStretch(0);
    addSpeed(*line);
    line->addSpacing(Theme::kSpace2);
    addEpochCursor(*line);
}

// Places the controls of the run below the menus (below: true) or to the right of the menus.
void TopBar::placeControls(bool below) {
    m_grid->removeWidget(m_controls);
    if (below) {
        m_grid->addWidget(m_controls, 1, 0, 1, 4);
    } else {
        m_grid->addWidget(m_controls, 0, 2);
    }
    m_isBelow = below;
    setFixedHeight(below ? kTwoRows : kOneRow);
    for (QPushButton* button : m_buttons) button->setMinimumWidth(below ? 0 : int(kButtonWidth));
}

int TopBar::widthOfOneRow() const {
    int width = 2 * Theme::kSpace4 + 5 * Theme::kSpace2;
    for (int column : {0, 1, 3}) width += m_grid->itemAtPosition(0, column)->widget()->sizeHint().width();
    const int buttons = static_cast<int>(m_buttons.size());
    int roomy = 0;
    for (const QPushButton* button : m_buttons) roomy += std::max<int>(kButtonWidth, button->sizeHint().width());
    const int rest = kSpeedWidth + kSliderWidth + m_speedText->minimumWidth() + m_epochText->minimumWidth() +
                     m_speedCaption->sizeHint().width() + m_epochCaption->sizeHint().width();
    return width + roomy + rest + (buttons + 7) * Theme::kSpace2;
}

// Chooses between one row and two rows again when the layout of the bar changes, because the widths of its widgets may
// have changed. After a change of the type size, these widths are known only at this time.
bool TopBar::event(QEvent* event) {
    const bool handled = QFrame::event(event);
    if (event->type() == QEvent::LayoutRequest) arrange();
    return handled;
}

void TopBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    arrange();
}

void TopBar::arrange() {
    const bool below = width() < widthOfOneRow();
    if (below != m_isBelow) placeControls(below);
}

// Returns the minimum width of the controls without the menus, because a bar that is too narrow for both in one row
// uses two rows.
QSize TopBar::minimumSizeHint() const {
    return {m_controls->minimumSizeHint().width() + 2 * Theme::kSpace4, minimumHeight()};
}

// Makes a push button that triggers `action` and always has the text, tooltip and enabled state of `action`.
QPushButton* TopBar::makeButton(QAction* action, const QString& name) {
    auto* button = new QPushButton(this);
    button->setObjectName(name);
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
    return button;
}

// Adds the speed slider with a caption and the text of its value. The right end of the slider is full speed.
void TopBar::addSpeed(QHBoxLayout& line) {
    m_speedCaption = new QLabel(tr("Speed"), this);
    m_speedCaption->setProperty("role", "muted");
    m_speed = new SeekSlider(Qt::Horizontal, this);
    m_speed->setObjectName(QStringLiteral("speedSlider"));
    m_speed->setAccessibleName(tr("Speed"));
    m_speed->setToolTip(
        tr("Maximum number of steps per second. The right end is full speed; all other positions are slow motion."));
    m_speed->setMinimumWidth(kMinSlider);
    m_speed->setRange(0, TimeControls::kFullSpeed);
    m_speed->setPageStep(1);
    m_speedCaption->setBuddy(m_speed);
    m_speedText = new QLabel(this);
    m_speedText->setObjectName(QStringLiteral("speedLabel"));
    line.addWidget(m_speedCaption);
    line.addWidget(m_speed, 3);
    line.addWidget(m_speedText);
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

void TopBar::addEpochCursor(QHBoxLayout& line) {
    m_epochCaption = new QLabel(tr("Epoch"), this);
    m_epochCaption->setProperty("role", "muted");
    m_epoch = new EpochSlider(Qt::Horizontal, this);
    m_epoch->setObjectName(QStringLiteral("epochSlider"));
    m_epoch->setAccessibleName(tr("Epoch"));
    m_epoch->setToolTip(tr(
        "Epoch whose shards are shown. Epochs count from 1 here; PyTorch's set_epoch receives this number minus 1."));
    m_epoch->setMinimumWidth(kMinSlider);
    m_epoch->setPageStep(1);
    m_epochCaption->setBuddy(m_epoch);
    m_epochText = new QLabel(this);
    m_epochText->setObjectName(QStringLiteral("epochLabel"));
    line.addWidget(m_epochCaption);
    line.addWidget(m_epoch, 5);
    line.addWidget(m_epochText);
}

// Sets the widths of the sliders and of the texts beside them for the current type size. Each text gets the width of
// its widest value, so that its slider does not move when the value changes.
void TopBar::sizeForType() {
    m_speed->setMaximumWidth(kSpeedWidth);
    m_epoch->setMaximumWidth(kSliderWidth);
    const QFontMetrics metrics(m_theme.bodyFont());
    int widest = 0;
    for (const double speed : TimeControls::kSpeeds)
        widest = std::max(widest, metrics.horizontalAdvance(TimeControls::speedText(speed)));
    m_speedText->setMinimumWidth(widest);
    refreshEpochs();
    placeControls(m_isBelow);
    arrange();
}

// Shows the reason why Run is disabled, in the place of the speed slider; an empty reason shows the slider again.
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
    // Makes the label wide enough for the number of the last epoch, so that the slider does not move.
    m_epochText->setMinimumWidth(
        QFontMetrics(m_theme.bodyFont()).horizontalAdvance(text.arg(groupedText(count), groupedText(count))));
}

}  // namespace ringside
