#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: tcllib 1.21 (Debian 12; cache::async), with Tcl 8.6.
# Expected: the manual says that the provider is asked for data that the cache does not know. So it is asked again when it
#   has failed once.
# Really: who has asked stays in the list of those who wait, and who finds anybody in that list does not ask the provider.
#   One error of the provider makes the key dead: nobody is called back, nobody asks again, and `clear` does not help.
# Seen: the lines at the end of this script. Controls: another key; the provider catches its error and says `unset`.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian tcllib '1.21+*'
debian tcl8.6 '8.6.*'

cat >"$tmp/failed.tcl" <<'PROGRAM'
package require cache::async

proc bgerror {message} { append ::seen " (error: $message)" }

# The service of the first call is down.
proc service {key} {
    if {[incr ::asked] == 1} { error "the service is down" }
    return "value of $key"
}
proc careless {get key cache} { $cache set $key [service $key] }
proc careful {get key cache} {
    if {[catch {service $key} value]} { $cache unset $key } else { $cache set $key $value }
}
proc told {name args} { append ::seen " $name: [lindex $args 0]" }
proc settle {} { after 200 {set ::settled 1}; vwait ::settled }

proc run {title provider keys} {
    set ::asked 0
    set ::seen ""
    set cache [cache::async %AUTO% $provider]
    foreach {name key} $keys {
        $cache get $key [list told $name]
        settle
        $cache clear
    }
    puts "$title:$::seen, the provider was asked $::asked times"
}

run "the provider fails once" careless {A door B door C door}
run "control, another key" careless {A door B gate C gate}
run "control, it catches its error" careful {A door B door C door}
exit
PROGRAM

as_stated 'the provider fails once: (error: the service is down), the provider was asked 1 times
control, another key: (error: the service is down) B: set C: set, the provider was asked 3 times
control, it catches its error: A: unset B: set C: set, the provider was asked 3 times' "$(tclsh8.6 "$tmp/failed.tcl" 2>&1)"
