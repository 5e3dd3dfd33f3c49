#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: prosody 0.12.3 (Debian 12; util.async), with Lua 5.4.
# Expected: guard(id, func) runs func by one at a time and gives the guard on when it has ended.
# Really: an error of func leaves the guard taken: the runner is told the error and goes on, and everybody who comes to
#   that id later is suspended, also the runner itself.
# Seen: the lines at the end of this script, with the states of the runners at rest. Controls: func succeeds; another id.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian prosody '0.12.3-*'
debian lua5.4 '5.4.*'

cat >"$tmp/guard.lua" <<'PROGRAM'
package.path = "/usr/lib/prosody/?.lua;" .. package.path
package.cpath = "/usr/lib/prosody/?.so;" .. package.cpath
local async = require "util.async"

local function run(title, func, id)
	local guard = async.guarder()
	local done = {}
	local function worker(name, key, work)
		local runner = async.runner(function ()
			guard(key, work)
			table.insert(done, name)
		end, { error = function () end })
		runner:run(true)
		return runner
	end
	worker("first", "room", func)
	local second = worker("second", id, function () end)
	local third = worker("third", id, function () end)
	print(("%s: done %s; the second is %s, the third is %s"):format(title, table.concat(done, ", "), second.state, third.state))
end

run("the first one fails", function () error("no such room") end, "room")
run("control, it succeeds", function () end, "room")
run("control, another room", function () error("no such room") end, "hall")
PROGRAM

as_stated 'the first one fails: done ; the second is waiting, the third is waiting
control, it succeeds: done first, second, third; the second is ready, the third is ready
control, another room: done second, third; the second is ready, the third is ready' "$(/usr/bin/lua5.4 "$tmp/guard.lua")"
