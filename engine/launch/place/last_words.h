// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// What a rank says when whoever hosts the run cannot tell it anything any more; the verdict knows it again.
inline constexpr const char* kControlCut = "its control channel was cut: the supervisor is gone, or somebody closed it";

}  // namespace ringside
