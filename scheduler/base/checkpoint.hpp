// SPDX-License-Identifier: Apache-2.0

// A search on disk: what is known of a graph that was not seen to its end. Written beside its name
// and renamed when complete, so that a checkpoint is whole or absent; read with bounds on every
// size, and refused when the checksum at its end does not fit.
//
//   "LKCKPT03", then sections, each a count of bytes (64 bits) and the bytes, then the checksum of
//   everything before it. Numbers are little-endian; the file belongs to one version of the
//   program.
#pragma once

#define XXH_INLINE_ALL
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <xxhash.h>

#include "scheduler/base/deadline.hpp"
#include "scheduler/base/output_file.hpp"

namespace lockkeeper {

// what() names the file.
class CheckpointError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class NoTimeToWrite : public CheckpointError {
  public:
    using CheckpointError::CheckpointError;
};
// Called between two pieces of what is written; throws NoTimeToWrite.
using LookAtClock = std::function<void()>;

namespace checkpoint_detail {
struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;
}  // namespace checkpoint_detail

// Files are synced so many bytes at a time, and not all at the end, when nobody can look at the
// clock for as long as a slow disk takes.
inline constexpr std::uint64_t kBytesOfSync = std::uint64_t{64} << 20U;

class CheckpointWriter {
  public:
    explicit CheckpointWriter(const std::string& path, LookAtClock look = nullptr);
    // Into this file, which the writer owns.
    CheckpointWriter(const std::string& path, UnfinishedFile file);
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;
    ~CheckpointWriter();

    void text(const std::string& value) { section(value.data(), value.size()); }
    template <class T>
    void value(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        section(&value, sizeof(T));
    }
    template <class T>
    void array(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        section(values.data(), values.size() * sizeof(T));
    }
    // A section of many pieces: its size first, then `size` bytes with append().
    void begin_section(std::uint64_t size) { write(&size, sizeof(size)); }
    void append(const void* bytes, std::size_t size) { write(bytes, size); }
    void look_at_clock() const {
        if (look_) {
            look_();
        }
    }
    // Renames to the path asked for; without it nothing stays.
    void close();

  private:
    void section(const void* bytes, std::size_t size) {
        begin_section(size);
        append(bytes, size);
    }
    void write(const void* bytes, std::size_t size);
    void sync_piece();
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    LookAtClock look_;
    std::uint64_t unsynced_ = 0;  // bytes
    std::string unfinished_;
    checkpoint_detail::File file_;
    XXH3_state_t checksum_;
};

// The deadline came before the end of the file.
struct LoadingEnded {};

class CheckpointReader {
  public:
    // Reading throws LoadingEnded past the deadline.
    explicit CheckpointReader(const std::string& path, const Deadline& deadline = Deadline());

    // Another text than the one saved: another scenario, other options, another version.
    void expect_text(const std::string& value);
    template <class T>
    void value(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        begin_section(sizeof(T), sizeof(T));
        read(&value, sizeof(T));
    }
    template <class T>
    void array(std::vector<T>& values, std::size_t most) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::size_t size = begin_section(0, most * sizeof(T));
        if (size % sizeof(T) != 0) {
            fail("is damaged");
        }
        values.resize(size / sizeof(T));
        read(values.data(), size);
    }
    // The size of the next section, of which read() then takes the bytes.
    std::size_t begin_section(std::size_t least, std::size_t most);
    void read(void* bytes, std::size_t size);
    // Nothing may follow.
    void close();
    [[noreturn]] void fail(const std::string& what) const;

  private:
    std::string path_;
    checkpoint_detail::File file_;
    std::uint64_t left_ = 0;  // bytes before the checksum
    XXH3_state_t checksum_;
    Deadline deadline_;
    std::uint32_t reads_ = 0;
};

}  // namespace lockkeeper
