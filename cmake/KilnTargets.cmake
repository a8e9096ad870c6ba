# kiln_module(NAME DEPENDS...): a static library kiln_NAME of all .c files below the folder NAME of the calling folder.
function(kiln_module name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.c)
  kiln_archive(${name} "${sources}" ${ARGN})
endfunction()

# kiln_archive(NAME SOURCES DEPENDS...): the same of the files that are named.
function(kiln_archive name sources)
  add_library(kiln_${name} STATIC ${sources})
  target_include_directories(kiln_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/generated)
  foreach(dependency ${ARGN})
    target_link_libraries(kiln_${name} PUBLIC kiln_${dependency})
  endforeach()
endfunction()
