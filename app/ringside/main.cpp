// SPDX-License-Identifier: GPL-3.0-or-later
// Program of the Ringside window. This file only reads the command line and creates the services; the window itself is
// in ui/.
#include <QIcon>
#include <QLocale>
#include <QTemporaryDir>
#include <cstdio>
#include <cstdlib>

#include "base/errors/errors.h"
#include "diagnostics/timed_application.h"
#include "dialogs/qt_dialogs.h"
#include "main_window/main_window.h"
#include "settings/settings.h"
#include "start/display.h"
#include "start/qt_messages.h"
#include "start/screenshot.h"
#include "start/start_options.h"
#include "theme/theme.h"

namespace {

using namespace ringside;

int print(const QString& text, FILE* stream, ExitCode code) {
    std::fprintf(stream, "%s\n", qUtf8Printable(text));
    return static_cast<int>(code);
}

Theme::Mode themeMode(const QString& wanted, const Settings& settings) {
    const QString name = wanted.isEmpty() ? settings.get(settings::kTheme) : wanted;
    if (name == QLatin1String("dark")) return Theme::Mode::Dark;
    if (name == QLatin1String("light")) return Theme::Mode::Light;
    const QColor window = QApplication::palette().color(QPalette::Window);
    return window.lightness() < 128 ? Theme::Mode::Dark : Theme::Mode::Light;
}

QString controlProgram() {
    return QApplication::applicationDirPath() + QStringLiteral("/ringsidectl");
}

int runScreenshot(QApplication& application, const StartOptions& options) {
    Theme theme;
    theme.setMode(options.theme == QLatin1String("dark") ? Theme::Mode::Dark : Theme::Mode::Light);
    // Settings in a temporary folder, so that taking a screenshot neither reads nor changes the user's settings.
    const QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("window.ini")));
    if (!options.typePercent.isEmpty()) theme.setTypePercent(options.typePercent.toInt());
    QtDialogs dialogs;
    MainWindow window({theme, settings, dialogs, controlProgram()});
    Screenshot screenshot(window, options);
    QObject::connect(&screenshot, &Screenshot::finished, &application, &QApplication::exit);
    screenshot.begin();
    return application.exec();
}

int runWindow(TimedApplication& application, const StartOptions& options) {
    Theme theme;
    Settings settings;
    theme.setMode(themeMode(options.theme, settings));
    QtDialogs dialogs;
    MainWindow window({theme, settings, dialogs, controlProgram(), &application.times()});
    dialogs.setParent(&window);
    window.restore();
    if (!options.typePercent.isEmpty()) theme.setTypePercent(options.typePercent.toInt());
    if (!options.config.isEmpty()) window.files().open(options.config);
    if (!options.file.isEmpty()) window.files().open(options.file);
    if (!options.runDirectory.isEmpty()) window.openRun(options.runDirectory);
    if (!options.page.isEmpty() && !window.pages().show(options.page)) {
        return print(
            QStringLiteral("ringside: --page is %1; %2").arg(options.page, window.pages().choices(options.page)),
            stderr, ExitCode::kBadConfiguration);
    }
    window.show();
    return application.exec();
}

int start(int argc, char** argv) {
    QStringList arguments;
    for (int i = 1; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
    const Result<StartOptions> parsed = StartOptions::parse(arguments);
    if (!parsed)
        return print(QStringLiteral("ringside: ") + QString::fromStdString(parsed.problem().text()), stderr,
                     ExitCode::kBadConfiguration);
    const StartOptions& options = parsed.value();
    if (options.showHelp) return print(StartOptions::helpText(), stdout, ExitCode::kOk);
    if (options.showVersion) return print(QStringLiteral("ringside " RINGSIDE_VERSION), stdout, ExitCode::kOk);
    if (!options.screenshot.isEmpty()) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    } else if (!hasDisplay()) {
        return print(
            QStringLiteral("ringside: no display was found: use `ringsidectl run` to train without a window, or "
                           "`ringside --screenshot FILE`"),
            stderr, ExitCode::kBadConfiguration);
    }
    dropHarmlessQtMessages();
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));  // numbers in English, like all texts
    QApplication::setApplicationName(QStringLiteral("ringside"));
    QApplication::setApplicationVersion(QStringLiteral(RINGSIDE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("ringside"));
    TimedApplication application(argc, argv);
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/ringside.svg")));
    return options.screenshot.isEmpty() ? runWindow(application, options) : runScreenshot(application, options);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return start(argc, argv);
    } catch (const Error& error) {
        return print(QStringLiteral("ringside: %1").arg(QString::fromUtf8(error.what())), stderr, error.exitCode());
    } catch (const std::exception& error) {
        return print(
            QStringLiteral("ringside: internal error: %1; please report it").arg(QString::fromUtf8(error.what())),
            stderr, ExitCode::kInternal);
    }
}
