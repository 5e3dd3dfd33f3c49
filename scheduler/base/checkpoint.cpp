// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "scheduler/base/output_file.hpp"

namespace lockkeeper {
namespace {

// kCheckpointMark and the version.
constexpr char kMagic[8] = {'L', 'K', 'C', 'K', 'P', 'T', '0', '3'};

UnfinishedFile begin_checkpoint(const std::string& path) {
    try {
        return begin_file(path);
    } catch (const OutputError& error) {
        throw CheckpointError(error.what());
    }
}

// A pipe without a writer opens at once, and is refused afterwards.
std::FILE* open_without_waiting(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return descriptor < 0 ? nullptr : ::fdopen(descriptor, "rb");
}

std::string because() { return std::string(": ") + std::strerror(errno); }

}  // namespace

CheckpointWriter::CheckpointWriter(const std::string& path, LookAtClock look)
    : CheckpointWriter(path, begin_checkpoint(path)) {
    look_ = std::move(look);
}

CheckpointWriter::CheckpointWriter(const std::string& path, UnfinishedFile file)
    : path_(path), unfinished_(file.name), file_(::fdopen(file.descriptor, "wb")) {
    if (!file_) {
        const std::string why = because();
        discard_file(file);
        fail("cannot be written" + why);
    }
    XXH3_64bits_reset(&checksum_);
    write(kMagic, sizeof(kMagic));
}

CheckpointWriter::~CheckpointWriter() {
    if (file_) {
        UnfinishedFile file{-1, unfinished_};
        discard_file(file);
    }
}

void CheckpointWriter::write(const void* bytes, std::size_t size) {
    if (size > 0 && std::fwrite(bytes, 1, size, file_.get()) != size) {
        fail("cannot be written" + because());
    }
    XXH3_64bits_update(&checksum_, bytes, size);
    unsynced_ += size;
    if (unsynced_ >= kBytesOfSync) {
        sync_piece();
    }
}

void CheckpointWriter::sync_piece() {
    unsynced_ = 0;
    if (std::fflush(file_.get()) != 0 || ::fdatasync(::fileno(file_.get())) != 0) {
        fail("cannot be written" + because());
    }
    look_at_clock();
}

void CheckpointWriter::close() {
    const std::uint64_t checksum = XXH3_64bits_digest(&checksum_);
    if (std::fwrite(&checksum, sizeof(checksum), 1, file_.get()) != 1 ||
        std::fflush(file_.get()) != 0) {
        fail("cannot be written" + because());
    }
    UnfinishedFile file{::fileno(file_.get()), unfinished_};
    try {
        publish_file(file, path_, {std::string(kCheckpointMark), "", false, false, {}});
    } catch (const OutputError& error) {
        unfinished_ = file.name;
        throw CheckpointError(error.what());
    }
    file_.reset();
}

void CheckpointWriter::fail(const std::string& what) const {
    throw CheckpointError(path_ + ": checkpoint " + what);
}

CheckpointReader::CheckpointReader(const std::string& path, const Deadline& deadline)
    : path_(path), file_(open_without_waiting(path)), deadline_(deadline) {
    if (!file_) {
        fail("cannot be read" + because());
    }
    std::error_code failed;
    const auto size = std::filesystem::file_size(path, failed);
    if (failed || !std::filesystem::is_regular_file(path, failed)) {
        fail("is not a file");
    }
    if (size < sizeof(kMagic) + sizeof(std::uint64_t)) {
        fail("is truncated");
    }
    left_ = size - sizeof(std::uint64_t);
    XXH3_64bits_reset(&checksum_);
    char magic[sizeof(kMagic)];
    read(magic, sizeof(magic));
    if (std::memcmp(magic, kMagic, sizeof(magic)) != 0) {
        fail("is none, or one of another version");
    }
}

std::size_t CheckpointReader::begin_section(std::size_t least, std::size_t most) {
    std::uint64_t size = 0;
    read(&size, sizeof(size));
    if (size < least || size > most || size > left_) {
        fail("is damaged");
    }
    return size;
}

void CheckpointReader::read(void* bytes, std::size_t size) {
    constexpr std::uint32_t kReadsALook = 4096;  // most are of a few bytes
    if (++reads_ % kReadsALook == 0 && deadline_.is_past()) {
        throw LoadingEnded();
    }
    if (size > left_ || (size > 0 && std::fread(bytes, 1, size, file_.get()) != size)) {
        fail("is truncated");
    }
    left_ -= size;
    XXH3_64bits_update(&checksum_, bytes, size);
}

void CheckpointReader::expect_text(const std::string& value) {
    constexpr std::size_t kMost = std::size_t{16} << 20U;
    std::string saved(begin_section(0, kMost), '\0');
    read(saved.data(), saved.size());
    if (saved != value) {
        fail("is of another scenario, of other options or of another version of the program");
    }
}

void CheckpointReader::close() {
    const std::uint64_t wanted = XXH3_64bits_digest(&checksum_);
    std::uint64_t saved = 0;
    if (left_ != 0 || std::fread(&saved, sizeof(saved), 1, file_.get()) != 1 || saved != wanted) {
        fail("is damaged");
    }
}

void CheckpointReader::fail(const std::string& what) const {
    throw CheckpointError(path_ + ": checkpoint " + what);
}

}  // namespace lockkeeper
