// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/start_options.h"

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QRegularExpression>
#include <map>
#include <string>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kMinSide = 200;
constexpr int kMaxSide = 8192;
constexpr int kMinType = Theme::kTypeSizes.front(), kMaxType = Theme::kTypeSizes.back();

std::optional<Problem> readSize(const QString& text, QSize& size) {
    static const QRegularExpression pattern(QStringLiteral("^(\\d{1,5})x(\\d{1,5})$"));
    const QRegularExpressionMatch match = pattern.match(text);
    size = QSize(match.captured(1).toInt(), match.captured(2).toInt());
    const bool fits =
        size.width() >= kMinSide && size.height() >= kMinSide && size.width() <= kMaxSide && size.height() <= kMaxSide;
    if (match.hasMatch() && fits) return {};
    return Problem{"--size", "is " + text.toStdString() + "; it must be WIDTHxHEIGHT, 200 to 8192 each",
                   "use a size such as --size 1440x900"};
}

// Returns an option with the dashes that the user typed, such as "--page".
std::string asWritten(const QStringList& arguments, const QString& option) {
    for (const QString& argument : arguments) {
        const QString name = argument.section(QLatin1Char('='), 0, 0);
        if (name == "-" + option || name == "--" + option) return name.toStdString();
    }
    return "-" + option.toStdString();  // combined short options, such as "-hv", which contains the option "h"
}

}  // namespace

Result<StartOptions> StartOptions::parse(const QStringList& arguments) {
    StartOptions options;
    QString size;
    const std::map<QString, QString*> values = {{"screenshot", &options.screenshot}, {"page", &options.page},
                                                {"config", &options.config},         {"run-dir", &options.runDirectory},
                                                {"theme", &options.theme},           {"size", &size},
                                                {"type", &options.typePercent}};
    QCommandLineParser parser;
    const QCommandLineOption help(QStringList{"h", "help"}), version("version");
    parser.addOptions({help, version});
    for (const auto& [name, value] : values) parser.addOption(QCommandLineOption(name, {}, name));
    const bool isValid = parser.parse(QStringList{"ringside"} + arguments);
    if (!parser.unknownOptionNames().isEmpty())
        return Problem{asWritten(arguments, parser.unknownOptionNames().front()), "is not an option of ringside",
                       "see ringside --help"};
    if (!isValid) return Problem{arguments.back().toStdString(), "has no value", "see ringside --help"};
    const QStringList files = parser.positionalArguments();
    if (files.size() > 1)
        return Problem{files[1].toStdString(), "is a second file; ringside opens only one", "name one file"};
    if (!files.isEmpty()) options.file = files.front();
    options.showHelp = parser.isSet(help);
    options.showVersion = parser.isSet(version);
    for (const auto& [name, value] : values) *value = parser.value(name);
    // With --screenshot, a directory as FILE is the value of --run-dir; any other FILE is the value of --config.
    if (!options.screenshot.isEmpty() && !options.file.isEmpty()) {
        (QFileInfo(options.file).isDir() ? options.runDirectory : options.config) = options.file;
    }
    if (!size.isEmpty()) {
        if (const auto problem = readSize(size, options.size)) return *problem;
    }
    if (!options.theme.isEmpty() && options.theme != "light" && options.theme != "dark") {
        return Problem{"--theme", "is " + options.theme.toStdString() + "; it must be light or dark",
                       "use one of these"};
    }
    if (!options.typePercent.isEmpty()) {
        bool isNumber = false;
        const int percent = options.typePercent.toInt(&isNumber);
        if (!isNumber || percent < kMinType || percent > kMaxType) {
            return Problem{"--type", "is " + options.typePercent.toStdString() + "; it must be 90 to 150",
                           "use a number such as --type 125"};
        }
    }
    return options;
}

QString StartOptions::helpText() {
    return QStringLiteral(
        "ringside [FILE]\n"
        "    Opens the window. FILE: an experiment (.ringside.json), data, or a run directory.\n\n"
        "ringside --screenshot FILE [options]\n"
        "    Draws one page into a PNG file; needs no display.\n\n"
        "  --page NAME          a page, such as shards or training, or a view of one: shards/map\n"
        "  --config FILE        the experiment to show (default: the built-in digits)\n"
        "  --run-dir DIR        the run to show\n"
        "  --size WxH           size of the window in pixels (default: 1280x800)\n"
        "  --theme light|dark   colours; also without --screenshot\n"
        "  --type PERCENT       size of the text in percent, 90 to 150; also without --screenshot\n"
        "  --version            the version\n"
        "  --help               this text\n\n"
        "Examples:\n"
        "  ringside my.ringside.json\n"
        "  ringside --screenshot shards.png --page shards --size 1440x900 --theme dark\n"
        "  ringside --screenshot training.png --page training --run-dir runs/2026-01-31-120000-digits-mlp\n");
}

}  // namespace ringside
