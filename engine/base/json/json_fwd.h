// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ringside {

// Forward declaration, so that headers which only name the type stay cheap to include. base/json/json.h defines it.
using Json = nlohmann::ordered_json;

}  // namespace ringside
