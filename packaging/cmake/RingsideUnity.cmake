# SPDX-License-Identifier: Apache-2.0
# Reading the same headers and instantiating the same templates again is most of a full build: a few files of one folder
# are compiled as one. What is edited often is built quicker without (the preset dev). Files with flags of their own
# stay alone: CMake sees to it.
option(RINGSIDE_UNITY "Compile the files of a folder a few at a time (quicker full builds)" OFF)
set(RINGSIDE_UNITY_FILES 24 CACHE STRING "With RINGSIDE_UNITY: how many files are compiled as one at most")

# ringside_unity(TARGET), once the target has all its files: groups of equal size, none across folders.
function(ringside_unity target)
  if(NOT RINGSIDE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A class of a .cpp that holds one of its anonymous namespace: GCC takes an included .cpp for a header.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  get_target_property(root ${target} SOURCE_DIR)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${root} NORMALIZE)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND files_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH files_${folder} count)
    math(EXPR groups "(${count} + ${RINGSIDE_UNITY_FILES} - 1) / ${RINGSIDE_UNITY_FILES}")
    set(at 0)
    foreach(file IN LISTS files_${folder})
      math(EXPR group "${at} * ${groups} / ${count}")
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder}_${group})
      math(EXPR at "${at} + 1")
    endforeach()
  endforeach()
endfunction()
