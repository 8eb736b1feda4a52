// Inspection of a database: sizes, holders of versions, a complete check, and what a salvage recovered.
//
//     for (const freehold::Holder &holder : database.information().holders)
//         std::cout << holder.process_name << " keeps " << holder.kept_bytes << " bytes\n";
#ifndef FREEHOLD_CPP_INSPECT_HPP
#define FREEHOLD_CPP_INSPECT_HPP

#include "error.hpp"

#include <chrono>
#include <exception>

namespace freehold {

// A process that holds a version.
struct Holder {
    freehold_version_t version = 0;
    std::int32_t process_id = 0;
    std::string process_name;
    // The number of its readers that hold the version, and the time for which the version is known to have been
    // held.
    std::uint32_t readers = 0;
    std::chrono::milliseconds held{0};
    // The bytes of the file that the version keeps and newer ones don't need.
    std::uint64_t kept_bytes = 0;
    // Commits may take the version away.
    bool parked = false;
};

// Sizes, in bytes, and versions.
struct Information {
    // The newest version that can be read, and the newest that a power cut can't undo.
    freehold_version_t version = 0, durable_version = 0;
    std::uint64_t file_length = 0;
    // Bytes of the newest version; bytes that any commit may reuse; bytes kept only for older versions; bytes
    // reserved for long values that are being written.
    std::uint64_t used_bytes = 0, free_bytes = 0, held_bytes = 0, reserved_bytes = 0;
    // The processes that hold a version, the oldest version first.
    std::vector<Holder> holders;
    // 0, or a version that was durable and whose root was destroyed, so that an older version was opened.
    freehold_version_t lost_version = 0;
};

// A problem that a check found: its kind, such as "damagedBlock", its place, and a sentence for a person.
struct Problem {
    std::string kind, place, message;
};

// What a check read, and the problems it found.
struct CheckReport {
    freehold_version_t version = 0;
    std::uint64_t classes = 0, objects = 0, blocks = 0, index_entries = 0, links = 0, collections = 0, elements = 0, live_bytes = 0;
    // The problems; empty: the file is intact. At most 1,000 are reported.
    std::vector<Problem> problems;
};

// What a salvage brought into the new file.
struct SalvageReport {
    std::uint64_t classes = 0, objects = 0;
    // The number of objects known to be lost; more may be lost.
    std::uint64_t lost_objects = 0;
    // Nothing was lost.
    bool complete = false;
    // A sentence for each loss.
    std::vector<std::string> losses;
};

namespace detail {

// Collects the elements that a callback adds. No exception passes through C: an exception is kept, and thrown when
// the function has returned.
template <typename Element>
struct Gathered {
    std::vector<Element> elements;
    std::exception_ptr failure;

    template <typename Make>
    void add(Make &&make) noexcept
    {
        try {
            elements.push_back(make());
        } catch (...) {
            failure = std::current_exception();
        }
    }

    std::vector<Element> take(freehold_error_code_t code)
    {
        check(code);
        if (failure) std::rethrow_exception(failure);
        return std::move(elements);
    }
};

inline void add_holder(void *context, const freehold_holder_t *holder)
{
    static_cast<Gathered<Holder> *>(context)->add([&] {
        return Holder{holder->version, holder->process_id, std::string(view(holder->process_name)), holder->readers,
                      std::chrono::milliseconds(holder->held_milliseconds), holder->kept_bytes, holder->parked};
    });
}

inline Information information(const freehold_database_t *database)
{
    Gathered<Holder> holders;
    freehold_information_t told = {};
    told.size = sizeof told;
    const freehold_error_code_t code = freehold_database_information(database, &told, add_holder, &holders);
    return {told.version, told.durable_version, told.file_length, told.used_bytes, told.free_bytes, told.held_bytes, told.reserved_bytes,
            holders.take(code), told.lost_version};
}

inline void add_problem(void *context, const freehold_check_problem_t *problem)
{
    static_cast<Gathered<Problem> *>(context)->add([&] { return Problem{problem->kind, problem->place, problem->message}; });
}

inline CheckReport check_report(const freehold_database_t *database)
{
    Gathered<Problem> problems;
    freehold_check_report_t told = {};
    told.size = sizeof told;
    const freehold_error_code_t code = freehold_database_check(database, &told, add_problem, &problems);
    return {told.version, told.classes, told.objects, told.blocks, told.index_entries, told.links, told.collections, told.elements,
            told.live_bytes, problems.take(code)};
}

inline void add_loss(void *context, const char *text)
{
    static_cast<Gathered<std::string> *>(context)->add([&] { return std::string(text); });
}

inline SalvageReport salvage(std::string_view damaged, std::string_view path, const freehold_open_options_t &options)
{
    Gathered<std::string> losses;
    freehold_salvage_report_t told = {};
    told.size = sizeof told;
    const freehold_error_code_t code = freehold_database_salvage(
        damaged.data(), damaged.size(), path.data(), path.size(), &options, &told, add_loss, &losses);
    return {told.classes, told.objects, told.lost_objects, told.complete, losses.take(code)};
}

} // namespace detail
} // namespace freehold

#endif
