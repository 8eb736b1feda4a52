// Looking into a database: sizes, who holds what, whether everything is as it should be, and what can be saved of a damaged one.
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
    // How many of its readers hold it, and for how long they are known to.
    std::uint32_t readers = 0;
    std::chrono::milliseconds held{0};
    // What the version keeps of the file that newer ones don't need.
    std::uint64_t kept_bytes = 0;
    // Commits may take the version away.
    bool parked = false;
};

// Sizes, in bytes, and versions.
struct Information {
    // The newest version that can be read, and the newest that a power cut can't take back.
    freehold_version_t version = 0, durable_version = 0;
    std::uint64_t file_length = 0;
    // Of the newest version; reusable by any commit now; kept by older versions alone; set apart for long values under way.
    std::uint64_t used_bytes = 0, free_bytes = 0, held_bytes = 0, reserved_bytes = 0;
    // The oldest version first.
    std::vector<Holder> holders;
    // 0, or the version that was durable and whose root was destroyed, so that an older one opened.
    freehold_version_t lost_version = 0;
};

// One thing that is wrong: its kind, as "damagedBlock", where it is, and a sentence for a person.
struct Problem {
    std::string kind, place, message;
};

// What a check looked at, and what was wrong.
struct CheckReport {
    freehold_version_t version = 0;
    std::uint64_t classes = 0, objects = 0, blocks = 0, index_entries = 0, links = 0, collections = 0, elements = 0, live_bytes = 0;
    // None: the file is in order. At most 1,000 are told.
    std::vector<Problem> problems;
};

// What salvaging has brought into the new file.
struct SalvageReport {
    std::uint64_t classes = 0, objects = 0;
    // Objects known to be lost, of which there may be more.
    std::uint64_t lost_objects = 0;
    // Nothing was lost.
    bool complete = false;
    // A sentence for each thing lost.
    std::vector<std::string> losses;
};

namespace detail {

// What a callback adds to. Nothing is thrown through C: what it throws is kept, and thrown when the function has returned.
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
