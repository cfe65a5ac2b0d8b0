// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "config/choices.h"
#include "config/sampler_kind.h"

namespace ringside {

// Sets a choice by its name in experiment files, for tests that iterate over choices. Throws for an unknown name.
template <NamedChoice T>
void choose(T& choice, std::string_view name) {
    choice = choiceNamed<T>(name).value();
}

}  // namespace ringside
