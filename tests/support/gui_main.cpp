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
        // Here and not in ctest's environment: the tests are listed at build time, where an abort would go unnoticed.
        if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
        // Qt complains when there is no runtime directory (containers) or another user's (sudo); a private one also
        // keeps the tests apart from the session they run in. QTemporaryDir makes it 0700, as Qt wants it.
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
