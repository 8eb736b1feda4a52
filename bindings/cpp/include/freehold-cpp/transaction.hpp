// Transactions: changes that are taken as a whole or not at all.
#ifndef FREEHOLD_CPP_TRANSACTION_HPP
#define FREEHOLD_CPP_TRANSACTION_HPP

#include "reader.hpp"

namespace freehold {

class PendingCommit;

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
        detail::check(freehold_transaction_commit(
            handle_.get(), durable ? FREEHOLD_DURABILITY_FULL : FREEHOLD_DURABILITY_PROCESS_CRASH, &version));
        ended();
        return version;
    }

    // The same without waiting for the disk; see pending.hpp.
    PendingCommit commit_async();

    void rollback()
    {
        detail::check(freehold_transaction_rollback(handle_.get()));
        ended();
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
    friend class PendingTransaction;
    explicit Transaction(freehold_transaction_t *handle) : handle_(handle)
    {
        context_.reader = freehold_transaction_reader(handle);
        context_.transaction = handle;
    }

    // Until then the handle is kept: on another thread it does not end.
    void ended()
    {
        handle_.release();
        context_ = {};
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
