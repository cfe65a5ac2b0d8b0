// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json/json_fwd.h"

namespace ringside {

// The configuration as a JSON Schema (draft 2020-12): what an editor needs to complete and check a file.
Json configSchema();

}  // namespace ringside
