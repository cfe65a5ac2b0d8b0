// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>

class QWidget;

namespace ringside {

// Place in the documentation: a file, a heading that contains `heading`, and the first line below it that contains
// `word`. An empty heading or word means the start of the file or of the heading's section.
struct HelpTopic {
    QString file;
    QString heading;
    QString word = {};

    bool operator==(const HelpTopic&) const = default;
};

// Documentation of a page or panel, by the object name of its widget.
struct WidgetTopic {
    const char* objectName;
    const char* file;
    const char* heading;
};
std::span<const WidgetTopic> widgetTopics();

// Returns the documentation of a setting: "parallel.world_size".
HelpTopic topicOfSetting(const QString& path);

// Returns the documentation topic of `control` or, if it has none, of its nearest ancestor that has a topic. For null,
// returns the first page of the documentation.
HelpTopic topicOf(const QWidget* control);

// Stores the path of a setting, such as "parallel.world_size", in the control that edits the setting. The help topic of
// the control is then the documentation of the setting.
void setHelpSetting(QWidget& control, const QString& path);

}  // namespace ringside
