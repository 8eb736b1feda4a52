// Transactions: changes that are applied as a whole or not at all.
//
//     freehold::Transaction transaction = database.write();
//     freehold::Object ada = transaction.create("Person", {{"id", 1}, {"name", "Ada"}});
//     transaction.nested([&] { ada.set("age", 36); });                  // if that throws, it alone is taken back
//     transaction.commit();
#ifndef FREEHOLD_CPP_TRANSACTION_HPP
#define FREEHOLD_CPP_TRANSACTION_HPP

#include "reader.hpp"

namespace freehold {

class Column;
struct ImportOptions;
struct ImportReport;
class PendingCommit;

// A write transaction; reads the newest version and its own changes. Rolled back unless it is committed.
class Transaction : public Reader {
public:
    // Commits the changes; returns the version created. Without `durable` the commit survives the death of any
    // process, but perhaps not a power cut. If FREEHOLD_ERROR_NOT_YET_DURABLE is thrown, the changes are committed,
    // and flushed later.
    freehold_version_t commit(bool durable = true)
    {
        freehold_version_t version = 0;
        require_own();
        detail::check(freehold_transaction_commit(
            handle_.get(), durable ? FREEHOLD_DURABILITY_FULL : FREEHOLD_DURABILITY_PROCESS_CRASH, &version));
        let_go();
        return version;
    }

    // Commits without waiting for the disk; see pending.hpp.
    PendingCommit commit_async();

    void rollback()
    {
        require_own();
        detail::check(freehold_transaction_rollback(handle_.get()));
        let_go();
    }

    // A snapshot of the version that the transaction began with.
    Snapshot before() const
    {
        freehold_snapshot_t *snapshot = nullptr;
        detail::check(freehold_transaction_snapshot_before(handle_.get(), &snapshot));
        return Snapshot(snapshot);
    }

    // Creates a class, or does nothing if an identical class exists.
    void create_class(std::string_view name, const std::vector<PropertyDefinition> &properties)
    {
        const std::vector<freehold_property_info_t> infos = detail::infos(properties);
        detail::check(freehold_class_create(handle_.get(), name.data(), name.size(), infos.size(), infos.data(), nullptr));
    }

    void add_property(std::string_view class_name, const PropertyDefinition &property)
    {
        const freehold_property_info_t described = detail::info(property);
        detail::check(freehold_property_add(handle_.get(), context_.find_class(class_name), &described, nullptr));
    }

    // Creates the class of a mapped struct.
    template <typename Struct>
    void create_class();

    // Creates several classes, which may link to one another and extend one another in any order; classes of which
    // an identical one exists are skipped.
    void create_classes(const std::vector<ClassDefinition> &definitions)
    {
        const detail::Definitions given(definitions);
        detail::check(freehold_classes_create(handle_.get(), given.count(), given.get()));
    }

    // Adds the classes, properties, indexes and uniqueness that the file lacks; whatever else the file has stays.
    // Throws FREEHOLD_ERROR_SCHEMA_MISMATCH if types, keys or targets differ; then nothing was changed.
    void adopt(const std::vector<ClassDefinition> &definitions)
    {
        const detail::Definitions given(definitions);
        detail::check(freehold_schema_adopt(handle_.get(), given.count(), given.get()));
    }

    // Changes of the schema; see migration.hpp.
    void rename_class(std::string_view name, std::string_view new_name);
    void drop_class(std::string_view name);
    void set_primary_key(std::string_view class_name, std::string_view property);
    void end_primary_key(std::string_view class_name);
    void set_embedded(std::string_view class_name, bool embedded);

    // Makes a synced class an ordinary one, and drops what is not sent yet.
    void unmark_synced(std::string_view class_name)
    {
        detail::check(freehold_class_unmark_synced(handle_.get(), context_.find_class(class_name)));
    }
    void add_index(std::string_view class_name, const std::vector<std::string_view> &properties, bool unique = false);
    // Full-text indexes, indexes of places, of vectors and in a collation; see derived_indexes.hpp.
    void add_full_text_index(std::string_view class_name, const std::vector<IndexField> &fields, std::string_view language = {});
    void drop_full_text_index(std::string_view class_name, const std::vector<IndexField> &fields);
    void add_place_index(std::string_view class_name, const std::vector<std::string_view> &properties);
    void drop_place_index(std::string_view class_name, const std::vector<std::string_view> &properties);
    void add_vector_index(std::string_view class_name, std::string_view property, std::size_t dimensions,
                          freehold_vector_elements_t elements = FREEHOLD_VECTOR_FLOAT32,
                          freehold_vector_metric_t metric = FREEHOLD_VECTOR_COSINE);
    void drop_vector_index(std::string_view class_name, std::string_view property);
    void add_collation_index(std::string_view class_name, std::string_view property, std::string_view language);
    void drop_collation_index(std::string_view class_name, std::string_view property, std::string_view language);
    void rename_property(std::string_view class_name, std::string_view property, std::string_view new_name);
    void drop_property(std::string_view class_name, std::string_view property);
    void set_indexed(std::string_view class_name, std::string_view property, bool indexed);
    void end_uniqueness(std::string_view class_name, std::string_view property);
    void set_nullable(std::string_view class_name, std::string_view property);
    void set_required(std::string_view class_name, std::string_view property, const Value &replacement = nullptr);
    void set_delete_rule(std::string_view class_name, std::string_view property, freehold_delete_rule_t rule);
    void set_type(std::string_view class_name, std::string_view property, freehold_type_t type, bool nullable = false);
    template <typename Old, typename Convert>
    void set_type(std::string_view class_name, std::string_view property, freehold_type_t type, bool nullable, Convert &&convert);
    void set_schema_version(std::uint64_t version) { detail::check(freehold_schema_set_version(handle_.get(), version)); }

    // Creates an object with these values; other properties are null, or the type's zero.
    Object create(std::string_view class_name, std::initializer_list<Member> members = {}) { return make(class_name, members); }

    // Creates many objects from arrays of property values, all of them or none; several times as fast as one by one.
    // Returns the key of the first, if there is one; if the class assigns the keys, those of the others follow it.
    // See columns.hpp.
    std::optional<Key> create_many(std::string_view class_name, std::initializer_list<Column> columns);
    std::optional<Key> create_many(std::string_view class_name, const std::vector<Column> &columns);

    // Creates an object of a mapped struct.
    template <typename Struct>
    Object add(const Struct &object);

    // Takes the next number of a sequence, a named counter of a class: 1 at first, then always one more than the
    // last. No two committed transactions get the same number, and none is left out.
    std::int64_t next_number(std::string_view class_name, std::string_view sequence)
    {
        std::int64_t number = 0;
        detail::check(freehold_sequence_next(
            handle_.get(), context_.find_class(class_name), sequence.data(), sequence.size(), &number));
        return number;
    }

    // Sets the last number of a sequence, so that it continues after `last`, which must not be below its present
    // last number.
    void set_last_number(std::string_view class_name, std::string_view sequence, std::int64_t last)
    {
        detail::check(freehold_sequence_set(handle_.get(), context_.find_class(class_name), sequence.data(), sequence.size(), last));
    }

    // Imports one array of JSON objects, or objects one after another, into a class, as `freehold import` does.
    // Returns how many became objects. A bad record undoes the whole import.
    std::uint64_t import_json(std::string_view class_name, std::string_view text, std::string_view primary_key = {})
    {
        freehold_json_options_t options = {};
        options.size = sizeof options;
        options.primary_key = {primary_key.data(), primary_key.size()};
        freehold_json_report_t report = {};
        report.size = sizeof report;
        detail::check(freehold_json_import(
            handle_.get(), class_name.data(), class_name.size(), text.data(), text.size(), &options, &report, nullptr, nullptr));
        return report.records;
    }

    // Imports JSON from a stream, piece by piece; see json.hpp.
    ImportReport import_json(std::string_view class_name, std::istream &stream, const ImportOptions &options);

    // Deletes objects by their keys; keys without an object are skipped. Returns how many there were.
    std::uint64_t remove_many(std::string_view class_name, const std::vector<Key> &keys)
    {
        std::uint64_t count = 0;
        detail::check(freehold_objects_delete(handle_.get(), context_.find_class(class_name), keys.size(), keys.data(), &count));
        return count;
    }

    // Runs `body` in a savepoint; if it throws, its changes are undone, and the transaction goes on.
    template <typename Body>
    void nested(Body &&body)
    {
        freehold_savepoint_t savepoint = 0;
        detail::check(freehold_savepoint_make(handle_.get(), &savepoint));
        try {
            body();
        } catch (...) {
            freehold_savepoint_rollback(handle_.get(), savepoint);
            freehold_savepoint_release(handle_.get(), savepoint);
            throw;
        }
        detail::check(freehold_savepoint_release(handle_.get(), savepoint));
    }

private:
    friend class Database;
    friend class PendingTransaction;
    explicit Transaction(freehold_transaction_t *handle) : handle_(handle)
    {
        context_.reader = freehold_transaction_reader(handle);
        context_.transaction = handle;
    }

    // Marks the transaction as ended. Until then the handle is kept: a call on another thread does not end it.
    void let_go()
    {
        handle_.release();
        context_ = {};
    }

    void require_own() const
    {
        if (is_lent_) throw Error(FREEHOLD_ERROR_INVALID_ARGUMENT, "a migration cannot commit or roll back; throw to undo it", "", 0);
    }

    template <typename Members>
    Object make(std::string_view class_name, const Members &members)
    {
        const freehold_class_t number = context_.find_class(class_name);
        const freehold_class_info_t about = class_info(number);
        const detail::Arguments given(context_, number, members);
        const freehold_value_t *primary_key = nullptr;
        for (std::size_t place = 0; place < given.properties.size(); place++)
            if (given.properties[place] == about.primary_key) primary_key = &given.values[place];
        Key key = 0;
        detail::check(freehold_object_create(
            handle_.get(), number, primary_key, given.values.size(), given.properties.data(), given.values.data(), &key));
        return Object(context_, number, key);
    }

    template <typename Columns>
    std::optional<Key> make_many(std::string_view class_name, const Columns &columns);

    detail::Owned<freehold_transaction_t, freehold_transaction_rollback> handle_;
    // Set while a migration borrows the transaction from the update that commits it.
    bool is_lent_ = false;
};

} // namespace freehold

#endif
