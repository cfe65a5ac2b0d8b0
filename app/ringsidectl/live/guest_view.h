// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "run/classroom/classroom_client.h"

namespace ringside {

// Output of `ringsidectl join`: sentences and the lines of the rank for people, or one JSON line per event.
class GuestView final : public ClassroomClientObserver {
  public:
    explicit GuestView(bool asLines) : m_lines(asLines) {}

    void report(GuestEvent event, const std::string& text, std::int64_t number) override;
    // Prints a line of the rank's output on standard error. Does nothing in JSON mode.
    void printRankLine(std::string_view line) override;
    void showConnectFailure(const Problem& problem) override;
    void showRefusal(const Problem& problem) override;

  private:
    bool m_lines;
};

}  // namespace ringside
