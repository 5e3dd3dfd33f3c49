// SPDX-License-Identifier: Apache-2.0
// In the place of what SOCI's build writes.
#pragma once

#define SOCI_HAVE_CXX11 1
