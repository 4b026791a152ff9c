// SPDX-License-Identifier: Apache-2.0
/** \file
 * The library in C++17: all of it in headers, on the functions of `<curator/curator.h>`. docs/cplusplus.md is its page.
 */
#ifndef CURATOR_CURATOR_HPP
#define CURATOR_CURATOR_HPP

#include <curator/curator.h>
#include <curator/error.hpp>
#include <curator/framework.hpp>
#include <curator/mutex.hpp>
#include <curator/shared_mutex.hpp>

#endif
