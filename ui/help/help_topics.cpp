// SPDX-License-Identifier: GPL-3.0-or-later
#include "help/help_topics.h"

#include <QWidget>
#include <algorithm>
#include <array>

namespace ringside {
namespace {

constexpr const char* kSetting = "helpSetting";
constexpr const char* kFirstFile = "experiments.md";

// clang-format off
constexpr std::array kTopics = {
    WidgetTopic{"timeControls",   "experiments.md", "Pausing, stepping and changing a live run"},
    WidgetTopic{"experimentDock", "experiments.md", "Every setting"},
    WidgetTopic{"rankDock",       "experiments.md", "Pausing, stepping and changing a live run"},
    WidgetTopic{"logDock",        "experiments.md", "The run directory"},
    WidgetTopic{"shardsPage",     "experiments.md", "Which rank gets which sample"},
    WidgetTopic{"trainingPage",   "experiments.md", "The run directory"},
    WidgetTopic{"timelinePage",   "timeline.md",    "What it shows"},
    WidgetTopic{"whatIfPanel",    "timeline.md",    "What if"},
    WidgetTopic{"strategyPage",   "strategies.md",  "Strategies"},
    WidgetTopic{"replicasPage",   "experiments.md", "Contribution of each rank to a step"},
    WidgetTopic{"watchDialog",    "watch.md",       "In the window"},
    WidgetTopic{"watchedScriptPanel", "watch.md",   "In the window"},
    WidgetTopic{"findingsPanel",  "watch.md",       "In the window"},
    WidgetTopic{"seenSamplesPanel", "watch.md",     "In the window"},
    WidgetTopic{"launchDialog",   "launchers.md",   "Job scripts"},
    WidgetTopic{"inviteDialog",   "launchers.md",   "Classroom"},
    WidgetTopic{"joinDialog",     "launchers.md",   "Classroom"},
    WidgetTopic{"devicesDialog",  "gpu.md",         "Devices and backends"},
};
// clang-format on

}  // namespace

std::span<const WidgetTopic> widgetTopics() {
    return kTopics;
}

HelpTopic topicOfSetting(const QString& path) {
    return {QString::fromLatin1(kFirstFile), path.section(QLatin1Char('.'), 0, 0), path};
}

HelpTopic topicOf(const QWidget* control) {
    for (const QWidget* widget = control; widget != nullptr; widget = widget->parentWidget()) {
        if (const QString path = widget->property(kSetting).toString(); !path.isEmpty()) return topicOfSetting(path);
        const auto found = std::ranges::find_if(
            kTopics, [&](const WidgetTopic& topic) { return widget->objectName() == QLatin1String(topic.objectName); });
        if (found != kTopics.end()) return {QString::fromLatin1(found->file), QString::fromLatin1(found->heading)};
    }
    return {QString::fromLatin1(kFirstFile), {}};
}

void setHelpSetting(QWidget& control, const QString& path) {
    control.setProperty(kSetting, path);
}

}  // namespace ringside
