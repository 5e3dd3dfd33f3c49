// SPDX-License-Identifier: Apache-2.0

// What threads of the program ask of the host, on their own stacks.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "validate/threads/runtime/context.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {

namespace {

void hand_over(Fiber& fiber, Request& request) {
    fiber.request = &request;
    lockkeeper_threads_switch(&fiber.top, hosted->host_stack);
}

bool is_one_of(std::uint64_t site, const std::vector<std::uint64_t>& sites) {
    return !sites.empty() && std::binary_search(sites.begin(), sites.end(), site);
}

}  // namespace

std::uint64_t ask(Request& request) {
    Fiber& fiber = *running();
    if (hosted->is_telling) {
        note_calls(request.site);
    }
    if (is_one_of(request.site, hosted->trusted)) {
        request.order = Order::kSeqCst;
        request.order_left = Order::kSeqCst;
    }
    // The store that the thread tells of may have whatever order.
    if (is_one_of(request.site, hosted->notifying)) {
        Request fence;
        fence.what = Request::What::kFence;
        fence.text = "fence";
        fence.site = request.site;
        hand_over(fiber, fence);
    }
    hand_over(fiber, request);
    return request.result;
}

void watch(const ShadowAccess& access) {
    bool is_right = false;
    {
        const AsHost host;
        is_right = note_access(*hosted, host.thread(), access);
    }
    if (!is_right) {
        Request request;
        request.what = Request::What::kFound;
        request.site = access.site;
        ask(request);
    }
}

void found(const char* kind, const char* text, std::uint64_t site) {
    {
        const AsHost host;
        hosted->found = {};
        hosted->found.kind = kind;
        hosted->found.text = text;
        hosted->found.thread = host.thread();
        hosted->found.site = site;
    }
    Request request;
    request.what = Request::What::kFound;
    request.site = site;
    ask(request);
    end_process(70);
}

void refuse(const char* text, std::uint64_t site) {
    if (running() == nullptr) {
        const std::string_view begin = "verdict: refused before main: ";
        write_all(1, begin.data(), begin.size());
        write_all(1, text, std::strlen(text));
        write_all(1, "\n", 1);
        end_process(65);
    }
    {
        const AsHost host;
        hosted->refused = text;
        hosted->found.thread = host.thread();
        hosted->found.site = site;
    }
    Request request;
    request.what = Request::What::kRefused;
    ask(request);
    end_process(70);
}

// Other threads may be on their way still, and may do before the end of the process whatever they
// can.
void leave_process(int code, std::uint64_t site) {
    hosted->exit_code = code;
    if (code == 0 && hosted->current != 0) {
        refuse("a thread other than the first ends the process", site);
    }
    Request request;
    request.what = code == 0 ? Request::What::kEnd : Request::What::kExit;
    request.site = site;
    ask(request);
    end_process(70);
}

}  // namespace lockkeeper::threads
