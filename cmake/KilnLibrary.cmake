# libkiln: base … jit in one library, shared and static; what a program needs to find them once installed.
# Both are made of the same objects as the archives of the house, so that nothing is compiled twice. Symbols are hidden
# but for KILN_API; tests/house/library.test.sh holds the list against the headers.
set(library_objects)
foreach(part base os event store device jit)
  list(APPEND library_objects $<TARGET_OBJECTS:kiln_${part}>)
endforeach()

# Before 1.0 a minor version may change the ABI, so it is part of the SONAME.
set(soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(soversion 0.${PROJECT_VERSION_MINOR})
endif()

add_library(kiln_shared SHARED ${library_objects})
add_library(kiln_static STATIC ${library_objects})
foreach(library kiln_shared kiln_static)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME kiln LINKER_LANGUAGE C)
  target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
set_target_properties(kiln_shared PROPERTIES EXPORT_NAME shared VERSION ${PROJECT_VERSION} SOVERSION ${soversion})
set_target_properties(kiln_static PROPERTIES EXPORT_NAME static)
# libxxhash is used through its header alone (XXH_INLINE_ALL) or as a library; --as-needed decides.
target_link_libraries(kiln_shared PRIVATE PkgConfig::CJSON PkgConfig::SODIUM PkgConfig::XXHASH ${CMAKE_DL_LIBS} m
  Threads::Threads)
if(NOT KILN_SANITIZE)
  target_link_options(kiln_shared PRIVATE -Wl,-z,defs)
endif()
# By plain name: the installed package must not need this build's imported targets.
target_link_libraries(kiln_static INTERFACE ${CJSON_LIBRARIES} ${SODIUM_LIBRARIES} ${XXHASH_LIBRARIES} ${CMAKE_DL_LIBS} m
  Threads::Threads)

# ---- installing ----

install(TARGETS kiln_shared kiln_static EXPORT kiln LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/kiln DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kiln)
install(EXPORT kiln NAMESPACE kiln:: FILE kilnTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/kilnConfig.cmake.in
  ${CMAKE_BINARY_DIR}/generated/kilnConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/kilnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/kilnConfig.cmake ${CMAKE_BINARY_DIR}/generated/kilnConfigVersion.cmake
  DESTINATION ${package_folder})

# The .pc files say their prefix relative to themselves, so that an installed tree may be moved.
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH KILN_PC_PREFIX /prefix/${pkgconfig_folder} /prefix)
string(REGEX REPLACE "/$" "" KILN_PC_PREFIX "${KILN_PC_PREFIX}")
foreach(name kiln kiln-static kiln-ops)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/generated/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/generated/${name}.pc DESTINATION ${pkgconfig_folder})
endforeach()
