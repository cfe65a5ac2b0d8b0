// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compiles a function's loops for AVX2 with FMA as well, chosen when the program is loaded. Elsewhere, and under
// ThreadSanitizer (whose runtime is not up when the choice is made), the plain version alone.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define RINGSIDE_VECTORISED __attribute__((target_clones("arch=haswell", "default")))
#else
#define RINGSIDE_VECTORISED
#endif
