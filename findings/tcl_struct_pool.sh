#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: tcllib 1.21 (Debian 12; struct::pool 1.2.3), Tcl 8.6.
# Expected: the manual has addresses as an example of items, and says that an item can be allocated only once at a time. With
#   -prefer request allocates a certain free item, and remove takes out an item that is not allocated.
# Really: with -prefer, and in remove, the item is looked for as a pattern. One with brackets, as an address of IPv6, does not
#   match itself: the caller is told yes, the item stays among the free ones, and the next caller is lent it as well. The
#   first release gives it back while the other one works with it. A free one cannot be removed: it is "still allocated".
# Seen: the lines at the end of this script. Controls: no preference; an item without brackets.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian tcllib '1.21*'
debian tcl8.6 '8.6.*'

cat >"$tmp/pool.tcl" <<'PROGRAM'
package require struct::pool

# One server in a pool of three, asked for by name; then all who come without a preference.
proc run {title server prefer} {
    set pool [struct::pool]
    $pool add $server other another
    set lent 0
    if {$prefer} {
        incr lent [$pool request item -prefer $server -allocID first]
    } else {
        incr lent [$pool request item -allocID first]
    }
    set first $item
    set others {}
    while {[$pool request item -allocID second]} {
        incr lent
        lappend others $item
    }
    set twice [expr {$first in $others ? "also lent" : "not lent"}]
    $pool release $first
    puts "$title: $lent of 3 are lent, that of the first caller is $twice to another one; after its release it belongs to\
[$pool info allocID $first], free: [$pool info freeitems]"
    $pool destroy -force
}

run "an address with brackets is preferred" {[::1]:8080} 1
run "control, no preference" {[::1]:8080} 0
run "control, a name without brackets" localhost:8080 1

foreach {title server} {"an address with brackets" {[::1]:8080} "control, a name" localhost:8080} {
    set pool [struct::pool]
    $pool add $server
    catch {$pool remove $server} told
    puts "$title, free, is removed: [expr {$told eq "" ? "done" : $told}]"
    $pool destroy -force
}
PROGRAM

as_stated 'an address with brackets is preferred: 4 of 3 are lent, that of the first caller is also lent to another one; after its release it belongs to -1, free: {[::1]:8080}
control, no preference: 3 of 3 are lent, that of the first caller is not lent to another one; after its release it belongs to -1, free: {[::1]:8080}
control, a name without brackets: 3 of 3 are lent, that of the first caller is not lent to another one; after its release it belongs to -1, free: localhost:8080
an address with brackets, free, is removed: Can'"'"'t remove `[::1]:8080'"'"' because it is still allocated.
control, a name, free, is removed: done' "$(timeout 20 /usr/bin/tclsh8.6 "$tmp/pool.tcl" 2>&1)"
