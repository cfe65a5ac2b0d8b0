// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ringside {

// Only the name: headers that merely mention it stay cheap to include. base/json.h brings the whole type.
using Json = nlohmann::ordered_json;

}  // namespace ringside
