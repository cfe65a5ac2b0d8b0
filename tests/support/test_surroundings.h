// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

// Environment of the tests, such as a QApplication. It exists as long as the tests run.
class TestSurroundings {
  public:
    virtual ~TestSurroundings() = default;
};

// Creates the environment. Only test programs of the window define this function.
__attribute__((weak)) std::unique_ptr<TestSurroundings> makeTestSurroundings(int& argc, char** argv);
