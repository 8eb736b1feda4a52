// Moving in: objects of another database, once and resumable.
//
//     freehold::Options options;
//     options.importing = freehold::ImportSource("shop.realm");
//     const freehold::Database database("shop.freehold", options);
#ifndef FREEHOLD_CPP_IMPORTING_HPP
#define FREEHOLD_CPP_IMPORTING_HPP

#include "error.hpp"

#include <functional>

namespace freehold {

// How far an import is. Objects whose links are set in a second pass count twice.
struct ImportProgress {
    std::uint64_t written = 0, total = 0;
    // Another process or thread imports, and this one waits for it.
    bool waiting = false;
};

// What an import brought.
struct DatabaseImportReport {
    std::uint64_t classes = 0, objects = 0;
    // Links whose target the source did not have; they are null.
    std::uint64_t missing_links = 0;
    // This call completed the import; false if that was done before, or if there is no source.
    bool is_new = false;
    // What was renamed, converted or lost, a sentence each.
    std::vector<std::string> remarks = {};
};

// A file of another database: a .realm file, a SQLite database, a Core Data or SwiftData store. The first process that
// opens the database imports; see freehold/import.h.
struct ImportSource {
    std::string path;
    // The key of an encrypted file, or empty.
    std::vector<std::uint8_t> key = {};
    // Tells imports into one database apart: an import of this name is done once. Empty: the source's file name.
    std::string name = {};
    // What tables become: `map TABLE=CLASS`, `type TABLE.COLUMN=TYPE`, `link TABLE.COLUMN=TABLE`, `join TABLE=PROPERTY`.
    std::vector<std::string> rules = {};
    // It is an error if the file does not exist and was not imported before.
    bool must_exist = false;
    // Called every few thousand objects; returning false stops the import, which continues when the database is opened
    // again. It must not throw.
    std::function<bool(const ImportProgress &)> progress = {};

    ImportSource(std::string path, std::vector<std::uint8_t> key = {}) : path(std::move(path)), key(std::move(key)) {}
};

namespace detail {

// A source as the C functions take it.
class GivenImport {
public:
    explicit GivenImport(const ImportSource &source)
    {
        for (const std::string &rule : source.rules) rules_.push_back({rule.data(), rule.size()});
        given_.size = sizeof given_;
        given_.path = source.path.data();
        given_.path_length = source.path.size();
        given_.key = source.key.empty() ? nullptr : source.key.data();
        given_.key_length = source.key.size();
        given_.name = source.name.empty() ? nullptr : source.name.data();
        given_.name_length = source.name.size();
        given_.rules = rules_.data();
        given_.rule_count = rules_.size();
        given_.must_exist = source.must_exist;
        if (!source.progress) return;
        given_.progress = [](void *context, std::uint64_t written, std::uint64_t total, bool waiting) {
            return static_cast<const ImportSource *>(context)->progress(ImportProgress{written, total, waiting});
        };
        given_.context = const_cast<ImportSource *>(&source);
    }
    GivenImport(const GivenImport &) = delete;
    GivenImport &operator=(const GivenImport &) = delete;

    const freehold_import_t *get() const { return &given_; }

private:
    std::vector<freehold_text_t> rules_;
    freehold_import_t given_ = {};
};

} // namespace detail

} // namespace freehold

#endif
