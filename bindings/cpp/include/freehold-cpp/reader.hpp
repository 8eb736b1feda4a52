// Snapshots and transactions.
#ifndef FREEHOLD_CPP_READER_HPP
#define FREEHOLD_CPP_READER_HPP

#include "query.hpp"

namespace freehold {

template <typename Struct> struct Mapping;

// What snapshots and transactions have in common.
class Reader {
public:
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
        for (freehold_class_t number = 0; number < count; number++) {
            freehold_class_info_t info = {};
            info.size = sizeof info;
            detail::check(freehold_class_info(context_.reader, number, &info));
            names.emplace_back(detail::view(info.name));
        }
        return names;
    }

    bool has_class(std::string_view name) const
    {
        return detail::found(freehold_class_find(context_.reader, name.data(), name.size(), nullptr));
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

    // Reads a query; the arguments stand for %@ one after the other.
    template <typename... Arguments>
    Query prepare(std::string_view class_name, std::string_view text, const Arguments &...arguments) const
    {
        const detail::Given<sizeof...(arguments)> given(arguments...);
        Query query(context_, context_.find_class(class_name));
        detail::check(freehold_query_prepare(
            context_.reader, query.class_, text.data(), text.size(), sizeof...(arguments), given.values(), 0, nullptr, query.handle_.place()));
        return query;
    }

    // The objects that a query finds.
    template <typename... Arguments>
    Results query(std::string_view class_name, std::string_view text, const Arguments &...arguments) const
    {
        return prepare(class_name, text, arguments...).run();
    }

    // All objects of a class.
    Results objects(std::string_view class_name) const { return query(class_name, "TRUEPREDICATE"); }

    // One property of every object of a class as one array; as Results::column, and faster.
    template <typename Number>
    std::vector<Number> column(std::string_view class_name, std::string_view name) const
    {
        static_assert(std::is_same_v<Number, std::int64_t> || std::is_same_v<Number, double>, "columns are of std::int64_t or double");
        const freehold_class_t number = context_.find_class(class_name);
        const freehold_property_t property = context_.find_property(number, name);
        std::vector<Number> values(static_cast<std::size_t>(count(class_name)));
        Key next = INT64_MIN;
        std::size_t filled = 0;
        if (values.empty()) return values;
        if constexpr (std::is_same_v<Number, double>)
            detail::check(freehold_column_reals(context_.reader, number, property, &next, values.size(), nullptr, values.data(), nullptr, &filled));
        else
            detail::check(freehold_column_integers(context_.reader, number, property, &next, values.size(), nullptr, values.data(), nullptr, &filled));
        values.resize(filled);
        return values;
    }

    // Every object of a mapped struct's class.
    template <typename Struct>
    std::vector<Struct> all() const
    {
        std::vector<Struct> found;
        for (const Object object : objects(Mapping<Struct>::name)) found.push_back(object.load<Struct>());
        return found;
    }

protected:
    Reader() = default;
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

private:
    friend class Database;
    explicit Snapshot(freehold_snapshot_t *handle) : handle_(handle) { context_.reader = freehold_snapshot_reader(handle); }

    detail::Owned<freehold_snapshot_t, freehold_snapshot_end> handle_;
};

// A property of a class to be made.
struct PropertyDefinition {
    std::string_view name;
    freehold_type_t type;
    // FREEHOLD_PROPERTY_…
    std::uint32_t flags = 0;
    // The class that a link leads to.
    std::string_view target = {};
    // FREEHOLD_TYPE_LIST, _SET, _MAP, the outermost first.
    std::vector<freehold_type_t> collections = {};
};

// Changes under way, and the newest version with them. Rolled back unless it is committed.
class Transaction : public Reader {
public:
    // Takes the changes into the file; the version made. Without `durable` the commit survives any process, but perhaps no power cut.
    freehold_version_t commit(bool durable = true)
    {
        freehold_version_t version = 0;
        context_ = {};
        detail::check(freehold_transaction_commit(
            handle_.release(), durable ? FREEHOLD_DURABILITY_FULL : FREEHOLD_DURABILITY_PROCESS_CRASH, &version));
        return version;
    }

    void rollback()
    {
        context_ = {};
        detail::check(freehold_transaction_rollback(handle_.release()));
    }

    // Makes a class, or does nothing if the very same is there.
    void create_class(std::string_view name, const std::vector<PropertyDefinition> &properties)
    {
        std::vector<freehold_property_info_t> infos;
        for (const PropertyDefinition &property : properties) infos.push_back(info(property));
        detail::check(freehold_class_create(handle_.get(), name.data(), name.size(), infos.size(), infos.data(), nullptr));
    }

    void add_property(std::string_view class_name, const PropertyDefinition &property)
    {
        const freehold_property_info_t described = info(property);
        detail::check(freehold_property_add(handle_.get(), context_.find_class(class_name), &described, nullptr));
    }

    // Makes the class of a mapped struct.
    template <typename Struct>
    void create_class();

    // Makes an object with these values; others are null, or the type's zero.
    Object create(std::string_view class_name, std::initializer_list<Member> members = {}) { return make(class_name, members); }

    // Makes an object of a mapped struct.
    template <typename Struct>
    Object add(const Struct &object);

    // Reads one array of JSON objects, or objects one after another, into a class, as `freehold import` does; how many became objects. A bad
    // one undoes everything.
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

    // Runs `body`; if it throws, what it changed is taken back, and the transaction goes on.
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
    explicit Transaction(freehold_transaction_t *handle) : handle_(handle)
    {
        context_.reader = freehold_transaction_reader(handle);
        context_.transaction = handle;
    }

    template <typename Members>
    Object make(std::string_view class_name, const Members &members)
    {
        const freehold_class_t number = context_.find_class(class_name);
        freehold_class_info_t about = {};
        about.size = sizeof about;
        detail::check(freehold_class_info(context_.reader, number, &about));
        const detail::Arguments given(context_, number, members);
        const freehold_value_t *primary_key = nullptr;
        for (std::size_t place = 0; place < given.properties.size(); place++)
            if (given.properties[place] == about.primary_key) primary_key = &given.values[place];
        Key key = 0;
        detail::check(freehold_object_create(
            handle_.get(), number, primary_key, given.values.size(), given.properties.data(), given.values.data(), &key));
        return Object(context_, number, key);
    }

    static freehold_property_info_t info(const PropertyDefinition &property)
    {
        freehold_property_info_t info = {};
        info.size = sizeof info;
        info.name = {property.name.data(), property.name.size()};
        info.type = property.type;
        info.flags = property.flags;
        info.link_target = {property.target.data(), property.target.size()};
        if (property.collections.size() > FREEHOLD_COLLECTION_DEPTH)
            throw Error(FREEHOLD_ERROR_INVALID_ARGUMENT, "too many collections within one another", "", 0);
        for (std::size_t place = 0; place < property.collections.size(); place++)
            info.collections[place] = static_cast<std::uint8_t>(property.collections[place]);
        return info;
    }

    detail::Owned<freehold_transaction_t, freehold_transaction_rollback> handle_;
};

} // namespace freehold

#endif
