# SPDX-License-Identifier: Apache-2.0
# Compiles a few files of one folder as one. Without it, reading the same headers and instantiating the same templates
# again takes most of a full build. The preset dev does not use it, because single files compile faster after an edit.
# Files with flags of their own are compiled alone. CMake's UNITY_BUILD is not used: it writes absolute paths into its
# files, so that ccache finds no object for a clone in another folder. The files written here use relative paths.
option(RINGSIDE_UNITY "Compile the files of a folder a few at a time (quicker full builds)" OFF)
set(RINGSIDE_UNITY_FILES 24 CACHE STRING "With RINGSIDE_UNITY: how many files are compiled as one at most")

# Sets `alone` to true if the source file has a property that files compiled together cannot have.
function(ringside_stays_alone source target alone)
  set(${alone} OFF PARENT_SCOPE)
  foreach(property SKIP_UNITY_BUILD_INCLUSION SKIP_PRECOMPILE_HEADERS COMPILE_OPTIONS COMPILE_DEFINITIONS COMPILE_FLAGS INCLUDE_DIRECTORIES)
    get_source_file_property(value ${source} TARGET_DIRECTORY ${target} ${property})
    if(value)
      set(${alone} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# ringside_unity(TARGET): combines the files of the target in groups of equal size, each within one folder. Must be
# called after all files were added.
function(ringside_unity target)
  if(NOT RINGSIDE_UNITY)
    return()
  endif()
  # GCC treats an included .cpp as a header, and then warns of a class with a member from an anonymous namespace.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>
    "$<$<COMPILE_LANGUAGE:CXX>:-iquote${CMAKE_SOURCE_DIR}>")
  get_target_property(sources ${target} SOURCES)
  get_target_property(root ${target} SOURCE_DIR)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${root} NORMALIZE)
    ringside_stays_alone(${source} ${target} alone)
    if(alone)
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND files_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    ringside_write_unity_files(${target} ${folder} ${files_${folder}})
  endforeach()
endfunction()

# Replaces the files of a folder in the target by files that include them.
function(ringside_write_unity_files target folder)
  list(LENGTH ARGN count)
  if(count EQUAL 1)
    return()
  endif()
  math(EXPR groups "(${count} + ${RINGSIDE_UNITY_FILES} - 1) / ${RINGSIDE_UNITY_FILES}")
  set(at 0)
  foreach(file IN LISTS ARGN)
    math(EXPR group "${at} * ${groups} / ${count}")
    math(EXPR at "${at} + 1")
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(APPEND text_${group} "#include \"${name}\"\n")
  endforeach()
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
  math(EXPR last "${groups} - 1")
  foreach(group RANGE ${last})
    set(unity ${CMAKE_BINARY_DIR}/unity/${target}/${folder}_${group}.cpp)
    file(CONFIGURE OUTPUT ${unity} CONTENT "${text_${group}}" @ONLY)
    target_sources(${target} PRIVATE ${unity})
  endforeach()
endfunction()
