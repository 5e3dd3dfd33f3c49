// SPDX-License-Identifier: Apache-2.0
// In the place of SOCI's own: connections to no database. The pool only makes and deletes them.
#pragma once

namespace soci {
class session {};
}  // namespace soci
