// A scenario made ready to run: the command line laid over the file, the system built, the
// properties and goals looked up. Made by `prepare` in app/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

struct Job {
    std::string file;  // as named on the command line; for a trace file, that
    // For lines to be pasted: what the executable is called, and " --set grace=3" as it was given.
    std::string program;
    std::string set_flags;
    Scenario scenario;  // seed, strategy and checks are those of the command line, if it has any
    Understood understood;  // the same as its system understands it
    std::unique_ptr<Runner> runner;
    std::vector<const Property*> check;
    std::vector<const Property*> reach;
};

}  // namespace lockkeeper
