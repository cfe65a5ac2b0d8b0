// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "launch/classroom/classroom_host.h"
#include "live/progress_view.h"
#include "terminal/screen.h"

namespace ringside {

// Output of `ringsidectl host`: sentences and a QR code for people, or one JSON line per change.
class ClassroomView {
  public:
    // State of the classroom at one moment.
    struct Moment {
        std::string phase;  // phase of the classroom: waiting | sending | running | over
        int wanted = 0;     // desired number of ranks
        int least = 0;      // minimum number of ranks after a failure; 0: all ranks are needed
        std::string news;
    };

    ClassroomView(Screen& screen, bool asLines) : m_screen(screen), m_lines(asLines) {}

    void begin(const ClassroomHost& host, const std::string& experiment, int wanted);
    void print(const std::string& sentence);
    void runBegins(const std::string& directory);
    // Prints the state as a JSON line if it has changed. No effect without JSON.
    void show(const ClassroomHost& host, const Moment& moment);
    void showEnd(const std::string& verdict, int exitCode);
    bool asLines() const { return m_lines; }

  private:
    Screen& m_screen;
    bool m_lines;
    std::string m_shown;
};

}  // namespace ringside
