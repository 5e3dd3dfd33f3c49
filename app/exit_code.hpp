// The failures that end a command or a file with one line on stderr (scenarios/bad_input.hpp), and
// the exit codes (reports/conclusion.hpp).
#pragma once

#include "reports/conclusion.hpp"
#include "scenarios/bad_input.hpp"
