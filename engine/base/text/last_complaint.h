// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ringside {

// Why ringsidectl gave up, from what it wrote: its last line that says something, without the name that it begins with;
// empty where it said nothing.
std::string lastComplaint(std::string_view output);

}  // namespace ringside
