#include "reports/failure.hpp"

#include <new>

#include "model/check.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/output_file.hpp"
#include "scheduler/search/checkpoint.hpp"

namespace lockkeeper {

std::optional<Verdict> failure_of(const std::string& name, const std::function<void()>& run) {
    try {
        run();
        return std::nullopt;
    } catch (const BadInput& error) {
        return RefusedFile{error.what(), error.place().value_or(TextPlace{})};
    } catch (const CheckpointError& error) {
        return RefusedFile{error.what()};
    } catch (const OutputError& error) {
        return RefusedFile{error.what()};
    } catch (const LimitExceeded& error) {
        return RefusedFile{name + ": " + error.what()};
    } catch (const UsageError&) {
        throw;
    } catch (const std::bad_alloc&) {
        return Error{name + ": internal error: out of memory (see --memory)"};
    } catch (const std::exception& error) {
        return Error{name + ": internal error: " + error.what()};
    }
}

}  // namespace lockkeeper
