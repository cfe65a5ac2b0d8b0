// SPDX-License-Identifier: Apache-2.0
// Every test program's entry: Catch2 v2 or v3, with a QApplication when the test needs one.
#ifdef RINGSIDE_CATCH3
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif
#ifdef RINGSIDE_TEST_GUI
#include <QApplication>
#include <QFile>
#include <QTemporaryDir>
#endif

// A test program may say that this machine lacks what it tests: its answer, unless 0, is then the exit code.
__attribute__((weak)) int skipTests();

int main(int argc, char** argv) {
#ifdef RINGSIDE_TEST_GUI
    // Here and not in ctest's environment: the tests are listed at build time, where an abort would go unnoticed.
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    // Qt complains when there is no runtime directory (containers) or another user's (sudo); a private one also keeps
    // the tests apart from the session they run in. QTemporaryDir makes it 0700, as Qt wants it.
    const QTemporaryDir runtime;
    qputenv("XDG_RUNTIME_DIR", QFile::encodeName(runtime.path()));
    QApplication application(argc, argv);
#endif
    if (skipTests) {
        if (const int code = skipTests()) return code;
    }
    return Catch::Session().run(argc, argv);
}
