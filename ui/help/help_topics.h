// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>

class QWidget;

namespace ringside {

// Place in the documentation: a file, a heading that contains `heading`, and the first line below this heading that
// contains `word`. Empty heading: the start of the file. Empty word: the heading.
struct HelpTopic {
    QString file;
    QString heading;
    QString word = {};

    bool operator==(const HelpTopic&) const = default;
};

// Place in the documentation that explains a widget, such as a page or panel.
struct WidgetTopic {
    const char* objectName;
    const char* file;
    const char* heading;
};
std::span<const WidgetTopic> widgetTopics();

// Returns the place in the documentation that explains a setting, such as "parallel.world_size".
HelpTopic topicOfSetting(const QString& path);

// Returns the help topic of `control` or, if it has none, of its nearest parent widget that has one. For null, returns
// the start of the documentation.
HelpTopic topicOf(const QWidget* control);

// Sets the setting that `control` edits, such as "parallel.world_size". The help topic of the control is then that of
// the setting.
void setHelpSetting(QWidget& control, const QString& path);

}  // namespace ringside
