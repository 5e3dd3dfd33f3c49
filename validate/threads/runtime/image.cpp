// SPDX-License-Identifier: Apache-2.0

// The program's variables as they are when main begins, and the threads whose thread-local storage
// the program's threads borrow.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>

#include "validate/threads/runtime/bytes.hpp"
#include "validate/threads/runtime/context.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

struct ThreadVariables {
    std::intptr_t offset;  // from the thread pointer
    std::size_t size;
};

struct Parked {
    volatile std::uintptr_t pointer;
};

void* park(void* given) {
    static_cast<Parked*>(given)->pointer = thread_pointer();
    while (true) {
        raw_call(SYS_pause);
    }
    return nullptr;
}

// The writable parts of the program itself, without what is only written while it is linked.
int add_segments(dl_phdr_info* info, std::size_t, void* given) {
    auto& images = *static_cast<std::vector<Image>*>(given);
    std::uintptr_t relro_from = 0;
    std::uintptr_t relro_to = 0;
    for (int index = 0; index < info->dlpi_phnum; ++index) {
        const ElfW(Phdr)& part = info->dlpi_phdr[index];
        if (part.p_type == PT_GNU_RELRO) {
            relro_from = info->dlpi_addr + part.p_vaddr;
            relro_to = (relro_from + part.p_memsz) & ~std::uintptr_t{4095};
        }
    }
    for (int index = 0; index < info->dlpi_phnum; ++index) {
        const ElfW(Phdr)& part = info->dlpi_phdr[index];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) {
            std::uintptr_t from = info->dlpi_addr + part.p_vaddr;
            const std::uintptr_t to = from + part.p_memsz;
            if (from >= (relro_from & ~std::uintptr_t{4095}) && from < relro_to) {
                from = relro_to;
            }
            if (from < to) {
                images.push_back({reinterpret_cast<std::byte*>(from), to - from, nullptr});
            }
        }
    }
    return 1;  // the program comes first
}

// Thread-local variables of the program and of the C++ library.
int add_thread_variables(dl_phdr_info* info, std::size_t, void* given) {
    auto& all = *static_cast<std::vector<ThreadVariables>*>(given);
    const bool is_ours = info->dlpi_name == nullptr || *info->dlpi_name == '\0' ||
                         std::strstr(info->dlpi_name, "libstdc++") != nullptr;
    for (int index = 0; is_ours && index < info->dlpi_phnum; ++index) {
        const ElfW(Phdr)& part = info->dlpi_phdr[index];
        if (part.p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
            all.push_back({reinterpret_cast<std::intptr_t>(info->dlpi_tls_data) -
                               static_cast<std::intptr_t>(thread_pointer()),
                           part.p_memsz});
        }
    }
    return 0;
}

constexpr std::uintptr_t kPageBytes = 4096;
constexpr long kRead = 1;
constexpr long kReadWrite = 3;

void keep(Image& image) {
    image.kept = reserve(image.size + 1);
    copy_bytes(image.kept, image.at, image.size);
}

void protect(const std::byte* from, std::size_t size, long how) {
    if (raw_call(SYS_mprotect, reinterpret_cast<long>(from), static_cast<long>(size), how) != 0) {
        end_process(70);
    }
}

void watch_pages(Image& image) {
    constexpr std::size_t kLargeBytes = 32768;
    const auto begin = reinterpret_cast<std::uintptr_t>(image.at);
    const std::uintptr_t from = (begin + kPageBytes - 1) & ~(kPageBytes - 1);
    const std::uintptr_t to = (begin + image.size) & ~(kPageBytes - 1);
    if (image.size < kLargeBytes || from >= to) {
        return;
    }
    image.pages = image.at + (from - begin);
    image.pages_count = (to - from) / kPageBytes;
    image.written =
        reinterpret_cast<std::uint32_t*>(reserve(image.pages_count * sizeof(std::uint32_t)));
    protect(image.pages, image.pages_count * kPageBytes, kRead);
}

void put_back(const Image& image, std::byte* from, std::size_t size) {
    copy_bytes(from, image.kept + (from - image.at), size);
}

void put_back(const Image& image) {
    if (image.pages == nullptr) {
        put_back(image, image.at, image.size);
        return;
    }
    const std::byte* end = image.at + image.size;
    std::byte* behind = image.pages + image.pages_count * kPageBytes;
    put_back(image, image.at, static_cast<std::size_t>(image.pages - image.at));
    put_back(image, behind, static_cast<std::size_t>(end - behind));
    for (std::size_t index = 0; index < image.written_count; ++index) {
        put_back(image, image.pages + std::size_t{image.written[index]} * kPageBytes, kPageBytes);
    }
}

}  // namespace

void park_threads(Hosted& host) {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    std::uintptr_t near = 0x3000'0000'0000;
    for (Fiber& fiber : host.fibers) {
        Parked parked{0};
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        // The id of a thread is an address there: std::barrier chooses by it where a thread begins.
        constexpr std::size_t kParkedBytes = std::size_t{1} << 20;  // only its variables are used
        constexpr std::uintptr_t kBehindStacks = 2 * kStackBytes * kThreadsMax;
        pthread_attr_setstack(&attributes, reserve(kParkedBytes, near + kBehindStacks),
                              kParkedBytes);
        if (create == nullptr || create(&fiber.handle, &attributes, park, &parked) != 0) {
            end_process(70);
        }
        while (parked.pointer == 0) {
            raw_call(SYS_sched_yield);
        }
        fiber.thread_pointer = parked.pointer;
        fiber.stack = reserve(kStackBytes, near);
        near += 2 * kStackBytes;
        host.shadow.add(fiber.stack, kStackBytes, static_cast<Thread>(&fiber - host.fibers));
    }
    host.host_pointer = thread_pointer();
    host.sets_by_instruction = can_set_thread_pointer();
}

void keep_images(Hosted& host) {
    std::vector<ThreadVariables> variables;
    dl_iterate_phdr(add_thread_variables, &variables);
    errno = 0;
    variables.push_back(
        {reinterpret_cast<std::intptr_t>(&errno) - static_cast<std::intptr_t>(thread_pointer()),
         sizeof(errno)});
    host.terminate_handler = std::get_terminate();
    host.new_handler = std::get_new_handler();
    for (Fiber& fiber : host.fibers) {
        for (const ThreadVariables& one : variables) {
            Image image;
            image.at = reinterpret_cast<std::byte*>(fiber.thread_pointer) + one.offset;
            image.size = one.size;
            if (&fiber == &host.fibers[0]) {  // what constructors before main have written
                copy_bytes(image.at, reinterpret_cast<std::byte*>(host.host_pointer) + one.offset,
                           one.size);
            }
            host.thread_images.push_back(image);
            host.shadow.add(image.at, image.size, static_cast<Thread>(&fiber - host.fibers));
        }
    }
    std::vector<Image> segments;
    dl_iterate_phdr(add_segments, &segments);
    for (const Image& segment : segments) {
        host.shadow.add(segment.at, segment.size);
        host.images.push_back(segment);
    }
    keep_heap(host);
    for (Image& image : host.images) {
        keep(image);
    }
    for (Image& image : host.thread_images) {
        keep(image);
    }
    for (Image& image : host.images) {
        watch_pages(image);
    }
}

bool note_written_page(Hosted& host, const void* address) {
    const auto* at = static_cast<const std::byte*>(address);
    for (Image& image : host.images) {
        if (image.pages != nullptr && at >= image.pages &&
            at < image.pages + image.pages_count * kPageBytes) {
            const auto number =
                static_cast<std::uint32_t>(static_cast<std::size_t>(at - image.pages) / kPageBytes);
            std::byte* page = image.pages + std::size_t{number} * kPageBytes;
            const auto* end = image.written + image.written_count;
            if (std::find<const std::uint32_t*>(image.written, end, number) != end) {
                return false;
            }
            image.written[image.written_count++] = number;
            protect(page, kPageBytes, kReadWrite);
            return true;
        }
    }
    return false;
}

void restore_images(Hosted& host) {
    for (const Image& image : host.images) {
        put_back(image);
    }
    std::set_terminate(host.terminate_handler);
    std::set_new_handler(host.new_handler);
    const std::size_t each = host.thread_images.size() / kThreadsMax;
    for (std::size_t index = 0; index < host.thread_images.size(); ++index) {
        const Image& image = host.thread_images[index];
        if (host.fibers[index / each].has_run) {
            copy_bytes(image.at, image.kept, image.size);
        }
    }
    for (Fiber& fiber : host.fibers) {
        fiber.has_run = false;
    }
    reset_arenas(host);
}

}  // namespace lockkeeper::threads
