// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/editor_command.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QProcess>
#include <QUrl>
#include <algorithm>
#include <array>

namespace ringside {
namespace {

// Command-line arguments with which a text editor opens a file at a line. %f is the place of the file's path, %l the
// place of the line's number.
struct Editor {
    const char* program;
    const char* arguments;  // arguments with %f and %l, separated by blanks
};

// clang-format off
constexpr std::array kEditors = {
    Editor{"code",        "-g %f:%l"},
    Editor{"code-oss",    "-g %f:%l"},
    Editor{"codium",      "-g %f:%l"},
    Editor{"cursor",      "-g %f:%l"},
    Editor{"subl",        "%f:%l"},
    Editor{"zed",         "%f:%l"},
    Editor{"kate",        "-l %l %f"},
    Editor{"kwrite",      "-l %l %f"},
    Editor{"gedit",       "+%l %f"},
    Editor{"gnome-text-editor", "+%l %f"},
    Editor{"xed",         "+%l %f"},
    Editor{"mousepad",    "-l %l %f"},
    Editor{"geany",       "-l %l %f"},
    Editor{"gvim",        "+%l %f"},
    Editor{"emacsclient", "-n +%l %f"},
    Editor{"pycharm",     "--line %l %f"},
    Editor{"charm",       "--line %l %f"},
};
// clang-format on

}  // namespace

std::optional<QStringList> editorCommand(const QString& editor, const QString& file, int line) {
    QStringList words = QProcess::splitCommand(editor);
    if (words.isEmpty()) return {};
    const QString name = QFileInfo(words.first()).fileName();
    const auto known =
        std::ranges::find_if(kEditors, [&](const Editor& one) { return name == QLatin1String(one.program); });
    if (known == kEditors.end()) return {};
    for (QString word : QString::fromLatin1(known->arguments).split(QLatin1Char(' '))) {
        word.replace(QStringLiteral("%l"), QString::number(line));
        words << word.replace(QStringLiteral("%f"), file);  // %f is replaced last, because a file name can contain %l
    }
    return words;
}

QString openInEditor(const QString& file, int line) {
    for (const char* variable : {"VISUAL", "EDITOR"}) {
        std::optional<QStringList> words = editorCommand(qEnvironmentVariable(variable), file, line);
        if (!words) continue;
        const QString program = words->takeFirst();
        if (QProcess::startDetached(program, *words)) return {};
    }
    if (QDesktopServices::openUrl(QUrl::fromLocalFile(file))) return {};
    return QCoreApplication::translate("EditorCommand",
                                       "No program opens %1, line %2: set the variable VISUAL to your editor, for "
                                       "example code, kate or gedit.")
        .arg(file)
        .arg(line);
}

}  // namespace ringside
