// Snapshots, and what they have in common with transactions.
//
//     freehold::Snapshot snapshot = database.read();
//     if (const std::optional<freehold::Object> ada = snapshot.find("Person", 1)) std::cout << ada->get<int>("age") << '\n';
//     if (snapshot.refresh()) std::cout << "version " << snapshot.version() << '\n';
//
// Functions take either as a `const freehold::Reader &`.
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

// What snapshots and transactions have in common.
class Reader {
public:
    // The last number that a sequence of a class has given, if it has given any; see Transaction::next_number.
    std::optional<std::int64_t> last_number(std::string_view class_name, std::string_view sequence) const
    {
        std::int64_t last = 0;
        if (!detail::found(freehold_sequence_last(
                context_.reader, context_.find_class(class_name), sequence.data(), sequence.size(), &last))) return std::nullopt;
        return last;
    }

    // The number of the version that is read, or, of a transaction, made.
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

    // What a class is: its own properties, without those of the class it extends. Its texts are good as long as the version is held, from a
    // transaction until the next call.
    ClassDefinition describe(std::string_view class_name) const
    {
        const freehold_class_info_t about = class_info(context_.find_class(class_name));
        ClassDefinition made{detail::view(about.name), {}, {}, about.embedded};
        freehold_property_t number = 0;
        if (about.superclass != FREEHOLD_NONE) {
            const freehold_class_info_t above = class_info(about.superclass);
            made.superclass = detail::view(above.name);
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

    // The indexes of a class over several properties; texts as of `describe`.
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

    // The number by which programs count the versions of their classes, if any has.
    std::optional<std::uint64_t> schema_version() const
    {
        std::uint64_t version = 0;
        if (!detail::found(freehold_schema_version(context_.reader, &version))) return std::nullopt;
        return version;
    }

    // How many objects a class has.
    std::uint64_t count(std::string_view class_name) const
    {
        std::uint64_t count = 0;
        detail::check(freehold_object_count(context_.reader, context_.find_class(class_name), &count));
        return count;
    }

    // The object with this primary key, or nothing.
    std::optional<Object> find(std::string_view class_name, const Value &primary_key) const
    {
        const freehold_class_t number = context_.find_class(class_name);
        Key key = 0;
        if (!detail::found(freehold_object_find(context_.reader, number, &primary_key.get(), &key))) return std::nullopt;
        return Object(context_, number, key);
    }

    // Reads a query; the arguments stand for %@ one after the other, or for $0, $1, …; a Named for $name.
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

    // All objects of a class by ascending key, from a key on, found as they are asked for; see scan.hpp.
    Scan scan(std::string_view class_name, Key from = INT64_MIN) const;

    // All objects of a class, found at once.
    Results objects(std::string_view class_name) const { return query(class_name, "TRUEPREDICATE"); }

    // The objects whose value in an indexed property is at least `from` and below `to` (null: no limit), ordered by value, then by key, or from
    // the end; see indexes.hpp.
    IndexRange index(std::string_view class_name, std::string_view property, const Value &from = nullptr, const Value &to = nullptr,
                     bool descending = false) const;
    // How many objects have this value in an indexed property, and which, by ascending key.
    std::uint64_t index_count(std::string_view class_name, std::string_view property, const Value &value) const;
    std::vector<Object> index_equal(std::string_view class_name, std::string_view property, const Value &value) const;

    // One property of every object of a class as one array, by ascending key; as Results::column, and faster.
    template <typename Element>
    std::vector<Element> column(std::string_view class_name, std::string_view name) const { return read_column<Element>(class_name, name, nullptr); }
    // The same with the objects' keys.
    template <typename Element>
    KeyedColumn<Element> keyed_column(std::string_view class_name, std::string_view name) const
    {
        KeyedColumn<Element> column;
        column.values = read_column<Element>(class_name, name, &column.keys);
        return column;
    }

    // All objects of a class, and of those that extend it, as JSON to a stream; see json.hpp.
    void write_json(std::string_view class_name, std::ostream &stream, bool lines = false) const;

    // Every object of a mapped struct's class.
    template <typename Struct>
    std::vector<Struct> all() const
    {
        std::vector<Struct> found;
        for (const Object object : objects(Mapping<Struct>::name)) found.push_back(object.load<Struct>());
        return found;
    }

    // Which objects of a class differ from those that an older snapshot shows, by whoever's commits; see changes.hpp. Not for transactions.
    // `older` may also be newer than this: then it tells the way back.
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

// One version of everything, held for reading: what it shows never changes, until it is refreshed.
class Snapshot : public Reader {
public:
    // Moves to the newest version; true if that is another one.
    bool refresh()
    {
        bool moved = false;
        detail::check(freehold_snapshot_refresh(handle_.get(), &moved));
        return moved;
    }

    // The same version held once more, as for another thread.
    Snapshot another() const
    {
        freehold_snapshot_t *handle = nullptr;
        detail::check(freehold_snapshot_another(handle_.get(), &handle));
        return Snapshot(handle);
    }

    // Lets commits of any process take the version away if it keeps too much of the file: for who holds it for long and reads it seldom. What was
    // read must not be used until the next call, which holds the version again, or throws FREEHOLD_ERROR_REVOKED: then refresh.
    void park() { detail::check(freehold_snapshot_park(handle_.get())); }

private:
    friend class Database;
    friend class Transaction;
    explicit Snapshot(freehold_snapshot_t *handle) : handle_(handle) { context_.reader = freehold_snapshot_reader(handle); }

    detail::Owned<freehold_snapshot_t, freehold_snapshot_end> handle_;
};

} // namespace freehold

#endif
