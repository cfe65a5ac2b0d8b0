// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

// Environment of the tests, such as a QApplication; it lives as long as they run.
class TestSurroundings {
  public:
    virtual ~TestSurroundings() = default;
};

// Defined by test programs of the window only.
__attribute__((weak)) std::unique_ptr<TestSurroundings> makeTestSurroundings(int& argc, char** argv);
