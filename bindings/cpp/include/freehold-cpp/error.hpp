// Errors as exceptions, and handles that end with their scope.
//
//     try {
//         database.write([](freehold::Transaction &transaction) { transaction.create("Person", {{"id", 1}}); });
//     } catch (const freehold::BusyError &error) {
//         later(error.what());
//     } catch (const freehold::Error &error) {
//         if (error.code() != FREEHOLD_ERROR_DUPLICATE_KEY) throw;
//     }
#ifndef FREEHOLD_CPP_ERROR_HPP
#define FREEHOLD_CPP_ERROR_HPP

#include <cstdint>
#include <freehold.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace freehold {

// An error of the library. code() is one of FREEHOLD_ERROR_…; its thousands are its band: 1 the file or the system,
// 2 damage, 3 the wrong moment, 4 an argument, 5 a limit.
class Error : public std::runtime_error {
public:
    Error(std::int32_t code, const std::string &message, std::string path, int system_code)
        : std::runtime_error(message), code_(code), system_code_(system_code), path_(std::move(path)) {}

    std::int32_t code() const noexcept { return code_; }
    // The code's name, such as "DUPLICATE_KEY".
    const char *name() const noexcept { return freehold_error_name(code_); }
    // The file concerned, or empty.
    const std::string &path() const noexcept { return path_; }
    // The operating system's errno of the failure, or 0.
    int system_code() const noexcept { return system_code_; }

private:
    std::int32_t code_;
    int system_code_;
    std::string path_;
};

// Another writer held the lock all that time; the message names it.
class BusyError : public Error {
public:
    using Error::Error;
};

namespace detail {

[[noreturn]] inline void fail(freehold_error_code_t result)
{
    freehold_error_t error = {};
    error.size = sizeof error;
    freehold_last_error(&error);
    if (result == FREEHOLD_BUSY) throw BusyError(error.code, error.message, error.path, error.system_code);
    throw Error(error.code, error.message, error.path, error.system_code);
}

inline void check(freehold_error_code_t code)
{
    if (code != FREEHOLD_OK) fail(code);
}

// Whether the requested thing exists, or came in time; throws for every other error.
inline bool found(freehold_error_code_t code)
{
    if (code == FREEHOLD_OK) return true;
    if (code == FREEHOLD_ABSENT || code == FREEHOLD_TIMED_OUT) return false;
    fail(code);
}

// Owns a handle and ends it with its scope.
template <typename Handle, freehold_error_code_t (*end)(Handle *)>
class Owned {
public:
    Owned() noexcept = default;
    explicit Owned(Handle *handle) noexcept : handle_(handle) {}
    Owned(Owned &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owned &operator=(Owned &&other) noexcept
    {
        if (this != &other) {
            reset();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~Owned() { reset(); }

    Handle *get() const noexcept { return handle_; }
    // Where a C function stores a new handle.
    Handle **place() noexcept
    {
        reset();
        return &handle_;
    }
    Handle *release() noexcept { return std::exchange(handle_, nullptr); }
    void reset() noexcept
    {
        if (Handle *handle = release()) end(handle);
    }

private:
    Handle *handle_ = nullptr;
};

inline std::string_view view(freehold_text_t text) { return {text.bytes, text.length}; }
inline freehold_text_t text(std::string_view view) { return {view.data() ? view.data() : "", view.size()}; }

// The strings as C functions take them; valid as long as `given`.
template <typename Texts>
std::vector<freehold_text_t> texts(const Texts &given)
{
    std::vector<freehold_text_t> made;
    for (const auto &one : given) made.push_back(text(one));
    return made;
}

} // namespace detail
} // namespace freehold

#endif
