# SPDX-License-Identifier: Apache-2.0
# Apache ZooKeeper's C client, which brings neither a .pc file nor a CMake package: the target ZooKeeper::ZooKeeper, and
# ZOOKEEPER_INCLUDE_DIR, ZOOKEEPER_LIBRARY, ZOOKEEPER_LIBRARIES. Its own CMake build, and so vcpkg's and Conan's, calls
# libzookeeper_mt just zookeeper, and leaves its hash table in a library of its own.
include(FindPackageHandleStandardArgs)
find_package(Threads QUIET)
find_path(ZOOKEEPER_INCLUDE_DIR zookeeper/zookeeper.h)
find_library(ZOOKEEPER_LIBRARY NAMES zookeeper_mt zookeeper)
find_library(ZOOKEEPER_HASHTABLE_LIBRARY hashtable)
mark_as_advanced(ZOOKEEPER_INCLUDE_DIR ZOOKEEPER_LIBRARY ZOOKEEPER_HASHTABLE_LIBRARY)

set(ZOOKEEPER_LIBRARIES "${ZOOKEEPER_LIBRARY}")
if(ZOOKEEPER_LIBRARY MATCHES "zookeeper\\.[^/]*$" AND ZOOKEEPER_HASHTABLE_LIBRARY)
    list(APPEND ZOOKEEPER_LIBRARIES "${ZOOKEEPER_HASHTABLE_LIBRARY}")
endif()
find_package_handle_standard_args(ZooKeeper REQUIRED_VARS ZOOKEEPER_LIBRARY ZOOKEEPER_INCLUDE_DIR
    REASON_FAILURE_MESSAGE
    "Apache ZooKeeper's C client (libzookeeper_mt) is missing: apt-get install libzookeeper-mt-dev")
if(ZooKeeper_FOUND AND NOT TARGET ZooKeeper::ZooKeeper)
    add_library(ZooKeeper::ZooKeeper INTERFACE IMPORTED)
    set_target_properties(ZooKeeper::ZooKeeper PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${ZOOKEEPER_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${ZOOKEEPER_LIBRARIES};Threads::Threads")
endif()
