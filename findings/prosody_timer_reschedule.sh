#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: prosody 0.12.3 (Debian 12; util.timer with the network backend "select"), with Lua 5.4 and lua-socket.
# Expected: reschedule(id, delay) moves a timer that is set to delay seconds from now.
# Really: delay is taken for the time of day of the end, which is long ago: the timer fires as soon as any timer does. A
#   time-out of 1 s that is put off by 5 s at 0.5 s fires at 1 s, and one of a minute with the next other timer.
# Seen: the lines at the end of this script. Controls: the timer is stopped and set anew; it is not touched.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian prosody '0.12.3-*'
debian lua5.4 '5.4.*'
debian lua-socket '3.1.0-*'

cat >"$tmp/timer.lua" <<'PROGRAM'
package.path = "/usr/lib/prosody/?.lua;" .. package.path
package.cpath = "/usr/lib/prosody/?.so;" .. package.cpath
package.loaded["core.configmanager"] = { get = function (_, name) return name == "network_backend" and "select" or nil end }
prosody = { events = require "util.events".new(), config_loaded = true }
local server = require "net.server"
local timer = require "util.timer"
local now = require "util.time".now

local function run(title, delay, change)
	local begin = now()
	local fired = "not fired"
	local function fire() fired = "fired" end
	local id = timer.add_task(delay, fire)
	timer.add_task(0.5, function () change(id, fire) end)
	timer.add_task(2, function () end)
	while now() - begin < 3.5 do
		server.loop(true)
	end
	print(("%s: %s within 3.5 s"):format(title, fired))
	timer.stop(id)
end

run("of 1 s, put off by 30 s at 0.5 s", 1, function (id) timer.reschedule(id, 30) end)
run("of 60 s, put off by 30 s at 0.5 s", 60, function (id) timer.reschedule(id, 30) end)
run("control, of 1 s, stopped and set anew at 0.5 s", 1, function (id, fire) timer.stop(id); timer.add_task(30, fire) end)
run("control, of 1 s, not touched", 1, function () end)
PROGRAM

as_stated 'of 1 s, put off by 30 s at 0.5 s: fired within 3.5 s
of 60 s, put off by 30 s at 0.5 s: fired within 3.5 s
control, of 1 s, stopped and set anew at 0.5 s: not fired within 3.5 s
control, of 1 s, not touched: fired within 3.5 s' "$(/usr/bin/lua5.4 "$tmp/timer.lua" 2>&1)"
