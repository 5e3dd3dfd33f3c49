// SPDX-License-Identifier: Apache-2.0

// Signals from outside end a search: Ctrl-C, the end of the terminal, `timeout`, service managers.
// The first signal ends the search with what it has (request_interrupt), the second one ends the
// process at once, with a line on stderr and `exit_code`; unfinished files are removed.
#pragma once

namespace lockkeeper {

// Once, when the process begins. Also ignores SIGPIPE and SIGXFSZ: the writer is told instead.
void handle_signals(int exit_code);

// Before another program takes the place of this process: a signal waits from here on until that
// program releases it, so that none is lost before it has handlers of its own.
void hold_signals();

}  // namespace lockkeeper
