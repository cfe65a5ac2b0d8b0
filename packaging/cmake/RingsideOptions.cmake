# SPDX-License-Identifier: Apache-2.0
# Compile options of all targets, in one INTERFACE target.
option(RINGSIDE_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
option(RINGSIDE_GUI "Build the Qt application when Qt 6 is found" ON)
set(RINGSIDE_SANITIZE "" CACHE STRING "Sanitizers passed to -fsanitize=, e.g. address,undefined")

add_library(project_options INTERFACE)
target_compile_features(project_options INTERFACE cxx_std_20)
# A switch that misses an enumerator is an error in every build: by -Werror, or else by -Werror=switch.
# -ffp-contract=off: results are compared bit by bit with PyTorch, so multiply-add is fused only by std::fma.
target_compile_options(project_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CXX>:$<IF:$<BOOL:${RINGSIDE_WARNINGS_AS_ERRORS}>,-Werror,-Werror=switch>>)
if(RINGSIDE_SANITIZE)
  target_compile_options(project_options INTERFACE -fsanitize=${RINGSIDE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(project_options INTERFACE -fsanitize=${RINGSIDE_SANITIZE})
endif()

# File names in messages and debug information are relative to the source tree, so that object files do not depend on
# the folder of the clone. ccache passes paths relative to the build tree to the compiler, which requires a second prefix.
cmake_path(RELATIVE_PATH CMAKE_SOURCE_DIR BASE_DIRECTORY ${CMAKE_BINARY_DIR} OUTPUT_VARIABLE up)
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=;-ffile-prefix-map=${up}/=>")

# Depend mode: ccache reads the included files from the compiler's dependency file instead of running the preprocessor.
# ccache requires the sloppiness settings to cache objects that were built with a precompiled header.
find_program(RINGSIDE_CCACHE ccache)
option(RINGSIDE_SYNTAX_ONLY "Check the source files instead of compiling them (packaging/check_files_alone)" OFF)
set(syntax_only ${CMAKE_SOURCE_DIR}/packaging/syntax_only)
set(cache_prefix)
if(RINGSIDE_SYNTAX_ONLY)
  set(cache_prefix CCACHE_PREFIX=${syntax_only})
  add_compile_definitions(RINGSIDE_SYNTAX_ONLY)  # separates ccache's stamps from its object files
endif()
if(RINGSIDE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${cache_prefix} ${RINGSIDE_CCACHE})
elseif(RINGSIDE_SYNTAX_ONLY)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${syntax_only})
endif()
find_program(RINGSIDE_MOLD mold)
if(RINGSIDE_MOLD)
  target_link_options(project_options INTERFACE -fuse-ld=mold)
endif()
add_feature_info(ccache RINGSIDE_CCACHE "compiler cache (optional: makes rebuilds fast)")
add_feature_info(mold RINGSIDE_MOLD "fast linker (optional)")
