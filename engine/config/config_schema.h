// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json/json_fwd.h"

namespace ringside {

// Returns the JSON Schema (draft 2020-12) of the configuration, with which editors complete and check files.
Json configSchema();

}  // namespace ringside
