// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QFile>
#include <QTemporaryDir>
#include <memory>

#include "support/test_surroundings.h"

namespace {

class Application : public TestSurroundings {
  public:
    Application(int& argc, char** argv) {
        // Set here and not in the environment of ctest: the tests are listed when they are built, where an abort would
        // not be noticed.
        if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
        // Qt prints a warning if there is no runtime directory (in containers) or if another user owns it (with sudo).
        // A private directory also separates the tests from the desktop session. QTemporaryDir creates it with mode
        // 0700, which Qt requires.
        qputenv("XDG_RUNTIME_DIR", QFile::encodeName(m_runtime.path()));
        m_application = std::make_unique<QApplication>(argc, argv);
    }

  private:
    QTemporaryDir m_runtime;
    std::unique_ptr<QApplication> m_application;
};

}  // namespace

std::unique_ptr<TestSurroundings> makeTestSurroundings(int& argc, char** argv) {
    return std::make_unique<Application>(argc, argv);
}
