// JSON as a stream: objects as text, and text as objects, in the form of `freehold export` and `freehold import`.
//
//     std::ofstream file("people.json");
//     snapshot.write_json("Person", file);
//     std::ifstream input("more.json");
//     const freehold::ImportReport report = transaction.import_json("Person", input, {"id", true});
//     for (const freehold::BadRecord &record : report.bad_records) std::cerr << record.line << ": " << record.message << '\n';
#ifndef FREEHOLD_CPP_JSON_HPP
#define FREEHOLD_CPP_JSON_HPP

#include "transaction.hpp"

#include <cerrno>
#include <exception>
#include <istream>
#include <ostream>

namespace freehold {

// Options for an import.
struct ImportOptions {
    // The property that becomes the primary key of a class that the import creates; empty: none.
    std::string_view primary_key = {};
    // Skips bad records and reports them; otherwise one bad record undoes the whole import.
    bool skip_bad_records = false;
};

// A record that was skipped: its line, from 1 (0: unknown), and what is wrong.
struct BadRecord {
    std::uint64_t line = 0;
    std::string message;
};

// The result of an import.
struct ImportReport {
    // The number of records that became objects, and of objects created from values nested in them.
    std::uint64_t records = 0, nested = 0;
    // The skipped records, and links without a target.
    std::vector<BadRecord> bad_records;
};

namespace detail {

// Writes text to a stream. No exception passes through C: an exception of the stream is kept, and thrown when the
// function has returned.
struct JsonOutput {
    std::ostream &stream;
    std::exception_ptr failure;

    static bool add(void *context, const char *bytes, std::size_t length) noexcept
    {
        JsonOutput &output = *static_cast<JsonOutput *>(context);
        try {
            return static_cast<bool>(output.stream.write(bytes, static_cast<std::streamsize>(length)));
        } catch (...) {
            output.failure = std::current_exception();
            return false;
        }
    }

    void finish(freehold_error_code_t code) const
    {
        if (failure) std::rethrow_exception(failure);
        if (code != FREEHOLD_OK && !stream) throw Error(FREEHOLD_ERROR_IO, "writing to the stream failed", "", 0);
        check(code);
    }
};

// Reads text from a stream; exceptions are kept as in JsonOutput.
struct JsonInput {
    std::istream &stream;
    std::vector<BadRecord> bad;
    std::exception_ptr failure;

    static std::int64_t read(void *context, char *buffer, std::size_t capacity) noexcept
    {
        JsonInput &input = *static_cast<JsonInput *>(context);
        try {
            if (input.failure) return -EIO;
            if (input.stream.eof()) return 0;
            input.stream.read(buffer, static_cast<std::streamsize>(capacity));
            return input.stream.bad() || (!input.stream && !input.stream.eof()) ? -EIO : static_cast<std::int64_t>(input.stream.gcount());
        } catch (...) {
            input.failure = std::current_exception();
            return -EIO;
        }
    }

    static void add(void *context, std::uint64_t line, const char *message) noexcept
    {
        JsonInput &input = *static_cast<JsonInput *>(context);
        try {
            input.bad.push_back({line, message});
        } catch (...) {
            input.failure = std::current_exception();
        }
    }
};

} // namespace detail

inline void Reader::write_json(std::string_view class_name, std::ostream &stream, bool lines) const
{
    detail::JsonOutput output{stream, nullptr};
    output.finish(freehold_json_class(context_.reader, context_.find_class(class_name), lines ? FREEHOLD_JSON_LINES : FREEHOLD_JSON_ARRAY,
                                      detail::JsonOutput::add, &output));
}

inline void Results::write_json(std::ostream &stream, bool lines) const
{
    detail::JsonOutput output{stream, nullptr};
    output.finish(freehold_json_results(
        handle_.get(), lines ? FREEHOLD_JSON_LINES : FREEHOLD_JSON_ARRAY, detail::JsonOutput::add, &output));
}

inline ImportReport Transaction::import_json(std::string_view class_name, std::istream &stream, const ImportOptions &options)
{
    freehold_json_options_t given = {};
    given.size = sizeof given;
    given.primary_key = detail::text(options.primary_key);
    given.skip_bad_records = options.skip_bad_records;
    freehold_json_report_t told = {};
    told.size = sizeof told;
    detail::JsonInput input{stream, {}, nullptr};
    const freehold_error_code_t code = freehold_json_import_from(
        handle_.get(), class_name.data(), class_name.size(), detail::JsonInput::read, &given, &told, detail::JsonInput::add, &input);
    if (input.failure) std::rethrow_exception(input.failure);
    detail::check(code);
    return {told.records, told.nested, std::move(input.bad)};
}

} // namespace freehold

#endif
