// Snapshots, and the base class of snapshots and transactions.
//
//     freehold::Snapshot snapshot = database.read();
//     if (const std::optional<freehold::Object> ada = snapshot.find("Person", 1)) std::cout << ada->get<int>("age") << '\n';
//     if (snapshot.refresh()) std::cout << "version " << snapshot.version() << '\n';
//
// Functions accept both as a `const freehold::Reader &`.
#ifndef FREEHOLD_CPP_READER_HPP
#define FREEHOLD_CPP_READER_HPP

#include "query.hpp"
#include "schema.hpp"

namespace freehold {

template <typename Struct> struct Mapping;
class Changes;
class IndexRange;
class Scan;

// One property of many objects, and their keys.
template <typename Element>
struct KeyedColumn {
    std::vector<Key> keys;
    std::vector<Element> values;
};

// The base class of snapshots and transactions.
class Reader {
public:
    // The last number of a sequence of a class, if there is one; see Transaction::next_number.
    std::optional<std::int64_t> last_number(std::string_view class_name, std::string_view sequence) const
    {
        std::int64_t last = 0;
        if (!detail::found(freehold_sequence_last(
                context_.reader, context_.find_class(class_name), sequence.data(), sequence.size(), &last))) return std::nullopt;
        return last;
    }

    // The full-text indexes and the indexes of places, of vectors and in collations that a class itself has, with their state; in a
    // transaction, with that of the version which it began with.
    std::vector<FullTextIndex> full_text_indexes(std::string_view class_name) const;
    std::vector<PlaceIndex> place_indexes(std::string_view class_name) const;
    std::vector<VectorIndex> vector_indexes(std::string_view class_name) const;
    std::vector<CollationIndex> collation_indexes(std::string_view class_name) const;

    // The number of the version that a snapshot holds, or that a transaction will create.
    freehold_version_t version() const
    {
        freehold_version_t version = 0;
        detail::check(freehold_reader_version(context_.reader, &version));
        return version;
    }

    // The names of all classes.
    std::vector<std::string> classes() const
    {
        std::uint32_t count = 0;
        detail::check(freehold_class_count(context_.reader, &count));
        std::vector<std::string> names;
        for (freehold_class_t number = 0; number < count; number++) names.emplace_back(detail::view(class_info(number).name));
        return names;
    }

    bool has_class(std::string_view name) const
    {
        return detail::found(freehold_class_find(context_.reader, name.data(), name.size(), nullptr));
    }

    // The definition of a class: its own properties, without those of the class it extends. Its strings are valid as
    // long as the version is held, from a transaction until the next call.
    ClassDefinition describe(std::string_view class_name) const
    {
        const freehold_class_info_t about = class_info(context_.find_class(class_name));
        ClassDefinition made{detail::view(about.name), {}, {}, about.embedded, about.sync};
        freehold_property_t number = 0;
        if (about.superclass != FREEHOLD_NONE) {
            const freehold_class_info_t above = class_info(about.superclass);
            made.superclass = detail::view(above.name);
            made.sync = FREEHOLD_SYNC_NONE;
            number = above.property_count;
        }
        for (; number < about.property_count; number++) {
            freehold_property_info_t info = {};
            info.size = sizeof info;
            detail::check(freehold_property_info(context_.reader, context_.find_class(class_name), number, &info));
            made.properties.push_back(detail::described(info));
        }
        return made;
    }

    // The indexes of a class over several properties; their strings are valid as those of `describe`.
    std::vector<IndexDefinition> indexes(std::string_view class_name) const
    {
        const freehold_class_t number = context_.find_class(class_name);
        const std::uint32_t count = class_info(number).index_count;
        std::vector<IndexDefinition> indexes;
        for (std::uint32_t place = 0; place < count; place++) {
            freehold_index_info_t info = {};
            info.size = sizeof info;
            detail::check(freehold_class_index(context_.reader, number, place, &info));
            indexes.push_back({{}, info.unique});
            for (std::uint32_t each = 0; each < info.property_count; each++)
                indexes.back().properties.push_back(context_.property_name(number, info.properties[each]));
        }
        return indexes;
    }

    // The schema version that a program has set, if any has.
    std::optional<std::uint64_t> schema_version() const
    {
        std::uint64_t version = 0;
        if (!detail::found(freehold_schema_version(context_.reader, &version))) return std::nullopt;
        return version;
    }

    // The number of objects of a class.
    std::uint64_t count(std::string_view class_name) const
    {
        std::uint64_t count = 0;
        detail::check(freehold_object_count(context_.reader, context_.find_class(class_name), &count));
        return count;
    }

    // The object with this primary key; empty if there is none.
    std::optional<Object> find(std::string_view class_name, const Value &primary_key) const
    {
        const freehold_class_t number = context_.find_class(class_name);
        Key key = 0;
        if (!detail::found(freehold_object_find(context_.reader, number, &primary_key.get(), &key))) return std::nullopt;
        return Object(context_, number, key);
    }

    // Prepares a query. The arguments stand for %@ one after the other, or for $0, $1, …; a Named stands for $name.
    template <typename... Arguments>
    Query prepare(std::string_view class_name, std::string_view text, const Arguments &...arguments) const
    {
        const detail::Given<sizeof...(arguments)> given(arguments...);
        Query query(context_, context_.find_class(class_name));
        detail::check(freehold_query_prepare(
            context_.reader, query.class_, text.data(), text.size(), given.count(), given.values(), given.named_count(), given.named(),
            query.handle_.place()));
        return query;
    }

    // The objects that a query finds.
    template <typename... Arguments>
    Results query(std::string_view class_name, std::string_view text, const Arguments &...arguments) const
    {
        return prepare(class_name, text, arguments...).run();
    }

    // Scans the objects of a class by ascending key, from a key on. Objects are found as they are read; see
    // scan.hpp.
    Scan scan(std::string_view class_name, Key from = INT64_MIN) const;

    // All objects of a class, found at once.
    Results objects(std::string_view class_name) const { return query(class_name, "TRUEPREDICATE"); }

    // A range over the objects whose value in an indexed property is at least `from` and below `to` (null: no
    // limit), ordered by value, then by key, or descending; see indexes.hpp.
    IndexRange index(std::string_view class_name, std::string_view property, const Value &from = nullptr, const Value &to = nullptr,
                     bool descending = false) const;
    // The number of objects that have this value in an indexed property, and the objects themselves, by ascending
    // key.
    std::uint64_t index_count(std::string_view class_name, std::string_view property, const Value &value) const;
    std::vector<Object> index_equal(std::string_view class_name, std::string_view property, const Value &value) const;

    // Reads one property of every object of a class as one array, by ascending key; as Results::column, and faster.
    template <typename Element>
    std::vector<Element> column(std::string_view class_name, std::string_view name) const { return read_column<Element>(class_name, name, nullptr); }
    // Reads one property of every object of a class, together with the objects' keys.
    template <typename Element>
    KeyedColumn<Element> keyed_column(std::string_view class_name, std::string_view name) const
    {
        KeyedColumn<Element> column;
        column.values = read_column<Element>(class_name, name, &column.keys);
        return column;
    }

    // Writes all objects of a class and its subclasses as JSON to a stream; see json.hpp.
    void write_json(std::string_view class_name, std::ostream &stream, bool lines = false) const;

    // All objects of a mapped struct's class, as structs.
    template <typename Struct>
    std::vector<Struct> all() const
    {
        std::vector<Struct> found;
        for (const Object object : objects(Mapping<Struct>::name)) found.push_back(object.load<Struct>());
        return found;
    }

    // The objects of a class that differ from those in an older snapshot, whichever process committed the changes;
    // see changes.hpp. Not for transactions. `older` may also be newer than this snapshot: then the changes are
    // reported in reverse.
    Changes changes_since(const Reader &older, std::string_view class_name) const;

protected:
    friend class Collection;
    friend class Object;
    friend class Query;
    friend class Results;
    Reader() = default;

    template <typename Element>
    std::vector<Element> read_column(std::string_view class_name, std::string_view name, std::vector<Key> *keys) const;

    freehold_class_info_t class_info(freehold_class_t number) const
    {
        freehold_class_info_t info = {};
        info.size = sizeof info;
        detail::check(freehold_class_info(context_.reader, number, &info));
        return info;
    }

    detail::Context context_;
};

// A snapshot: one version of the whole database, held for reading. Its contents never change until it is refreshed.
class Snapshot : public Reader {
public:
    // Moves the snapshot to the newest version; returns true if that is another one.
    bool refresh()
    {
        bool moved = false;
        detail::check(freehold_snapshot_refresh(handle_.get(), &moved));
        return moved;
    }

    // Another snapshot of the same version, for example for another thread.
    Snapshot another() const
    {
        freehold_snapshot_t *handle = nullptr;
        detail::check(freehold_snapshot_another(handle_.get(), &handle));
        return Snapshot(handle);
    }

    // Parks the snapshot: commits of any process may take its version away if it keeps too much of the file. Meant
    // for programs that hold a version for long and read it seldom. What was read must not be used until the next
    // call, which holds the version again, or throws FREEHOLD_ERROR_REVOKED: then refresh.
    void park() { detail::check(freehold_snapshot_park(handle_.get())); }

private:
    friend class Database;
    friend class Transaction;
    explicit Snapshot(freehold_snapshot_t *handle) : handle_(handle) { context_.reader = freehold_snapshot_reader(handle); }

    detail::Owned<freehold_snapshot_t, freehold_snapshot_end> handle_;
};

} // namespace freehold

#endif
