// Changes to the schema of a file that others have open. Each version keeps its own schema, so readers continue
// undisturbed.
//
//     database.update(2, {freehold::definition<Person>()},
//         [](freehold::Transaction &transaction, std::uint64_t file_version, std::uint64_t) {
//             if (file_version < 2) transaction.rename_property("Person", "title", "name");
//         });
//
// A migration can use every function of a transaction to change classes and objects. If it throws, everything is
// undone, and `update` throws the same exception.
#ifndef FREEHOLD_CPP_MIGRATION_HPP
#define FREEHOLD_CPP_MIGRATION_HPP

#include "database.hpp"

namespace freehold {

// Renames a class; links to it stay.
inline void Transaction::rename_class(std::string_view name, std::string_view new_name)
{
    detail::check(freehold_class_rename(handle_.get(), context_.find_class(name), new_name.data(), new_name.size()));
}

// Drops a class with its objects; throws while another class links to it or extends it.
inline void Transaction::drop_class(std::string_view name) { detail::check(freehold_class_drop(handle_.get(), context_.find_class(name))); }

// Makes a property the primary key; object keys stay, and therefore links. Throws FREEHOLD_ERROR_DUPLICATE_KEY if
// objects have the same value.
inline void Transaction::set_primary_key(std::string_view class_name, std::string_view property)
{
    const freehold_class_t number = context_.find_class(class_name);
    detail::check(freehold_class_set_primary_key(handle_.get(), number, context_.find_property(number, property)));
}

inline void Transaction::end_primary_key(std::string_view class_name)
{
    detail::check(freehold_class_set_primary_key(handle_.get(), context_.find_class(class_name), FREEHOLD_NONE));
}

// Makes a class embedded, so that its objects live within others, or makes it independent, if its present objects
// allow it.
inline void Transaction::set_embedded(std::string_view class_name, bool embedded)
{
    detail::check(freehold_class_set_embedded(handle_.get(), context_.find_class(class_name), embedded));
}

// Adds an index over several properties, or over one, which becomes indexed or unique. Throws
// FREEHOLD_ERROR_DUPLICATE_KEY if the index is unique and objects have equal values.
inline void Transaction::add_index(std::string_view class_name, const std::vector<std::string_view> &properties, bool unique)
{
    const freehold_class_t number = context_.find_class(class_name);
    std::vector<freehold_property_t> numbers;
    for (const std::string_view property : properties) numbers.push_back(context_.find_property(number, property));
    detail::check(freehold_class_add_index(handle_.get(), number, numbers.size(), numbers.data(), unique));
}

inline void Transaction::rename_property(std::string_view class_name, std::string_view property, std::string_view new_name)
{
    const freehold_class_t number = context_.find_class(class_name);
    detail::check(freehold_property_rename(
        handle_.get(), number, context_.find_property(number, property), new_name.data(), new_name.size()));
}

// Drops a property with its values.
inline void Transaction::drop_property(std::string_view class_name, std::string_view property)
{
    const freehold_class_t number = context_.find_class(class_name);
    detail::check(freehold_property_drop(handle_.get(), number, context_.find_property(number, property)));
}

// Adds or removes the index over a property.
inline void Transaction::set_indexed(std::string_view class_name, std::string_view property, bool indexed)
{
    const freehold_class_t number = context_.find_class(class_name);
    detail::check(freehold_property_set_indexed(handle_.get(), number, context_.find_property(number, property), indexed));
}

// Removes the uniqueness of a property; add_index makes a property unique.
inline void Transaction::end_uniqueness(std::string_view class_name, std::string_view property)
{
    const freehold_class_t number = context_.find_class(class_name);
    detail::check(freehold_property_end_uniqueness(handle_.get(), number, context_.find_property(number, property)));
}

inline void Transaction::set_nullable(std::string_view class_name, std::string_view property)
{
    const freehold_class_t number = context_.find_class(class_name);
    detail::check(freehold_property_set_nullable(handle_.get(), number, context_.find_property(number, property), true, nullptr));
}

// Makes a property required: objects with null get the replacement. Without a replacement there must be none, else
// FREEHOLD_ERROR_NOT_NULLABLE.
inline void Transaction::set_required(std::string_view class_name, std::string_view property, const Value &replacement)
{
    const freehold_class_t number = context_.find_class(class_name);
    const freehold_value_t *given = replacement.get().type == FREEHOLD_TYPE_NULL ? nullptr : &replacement.get();
    detail::check(freehold_property_set_nullable(handle_.get(), number, context_.find_property(number, property), false, given));
}

// Sets the delete rule of a property: what deleting an object does to the objects that the property links to.
inline void Transaction::set_delete_rule(std::string_view class_name, std::string_view property, freehold_delete_rule_t rule)
{
    const freehold_class_t number = context_.find_class(class_name);
    detail::check(freehold_property_set_delete_rule(handle_.get(), number, context_.find_property(number, property), rule));
}

// Changes the type of a property. Numbers and bools convert to one another and to text if no information is lost,
// text converts to the value it spells, text and data convert to each other, and integers and dates convert to each
// other as seconds. Throws FREEHOLD_ERROR_TYPE_MISMATCH, naming the first objects, if values cannot be converted.
inline void Transaction::set_type(std::string_view class_name, std::string_view property, freehold_type_t type, bool nullable)
{
    const freehold_class_t number = context_.find_class(class_name);
    detail::check(freehold_property_set_type(
        handle_.get(), number, context_.find_property(number, property), type, nullable, nullptr, nullptr));
}

// Changes the type of a property with a function from the old value to the new one. If the function throws, set_type
// throws the same exception, and nothing is changed. The function may read through the transaction, but not change
// anything.
//
//     transaction.set_type<std::int64_t>("Person", "height", FREEHOLD_TYPE_DOUBLE, false, [](std::int64_t cm) { return cm / 100.0; });
template <typename Old, typename Convert>
void Transaction::set_type(std::string_view class_name, std::string_view property, freehold_type_t type, bool nullable, Convert &&convert)
{
    struct Call {
        std::remove_reference_t<Convert> &convert;
        std::exception_ptr failure;
        // Keeps the new value alive until the next conversion.
        std::optional<std::decay_t<std::invoke_result_t<Convert &, Old>>> made;
        Value value;
    } call{convert, nullptr, std::nullopt, nullptr};
    const freehold_convert_callback_t apply = [](void *context, freehold_value_t *value) {
        Call &call = *static_cast<Call *>(context);
        try {
            call.made.emplace(call.convert(detail::from<Old>(*value)));
            call.value = Value(*call.made);
            *value = call.value.get();
            return true;
        } catch (...) {
            if (!call.failure) call.failure = std::current_exception();
            return false;
        }
    };
    const freehold_class_t number = context_.find_class(class_name);
    const freehold_error_code_t code = freehold_property_set_type(
        handle_.get(), number, context_.find_property(number, property), type, nullable, apply, &call);
    if (call.failure) std::rethrow_exception(call.failure);
    detail::check(code);
}

inline void Database::update(std::uint64_t version, const std::vector<ClassDefinition> &definitions) const
{
    const detail::Definitions given(definitions);
    detail::check(freehold_schema_update(handle_.get(), version, given.count(), given.get(), nullptr, nullptr));
}

template <typename Migration>
void Database::update(std::uint64_t version, const std::vector<ClassDefinition> &definitions, Migration &&migrate) const
{
    struct Call {
        std::remove_reference_t<Migration> &migrate;
        std::exception_ptr failure;
    } call{migrate, nullptr};
    const freehold_migration_callback_t apply = [](
        void *context, freehold_transaction_t *handle, std::uint64_t file_version, std::uint64_t version) -> freehold_error_code_t {
        Call &call = *static_cast<Call *>(context);
        Transaction transaction(handle);
        transaction.is_lent_ = true;
        try {
            call.migrate(transaction, file_version, version);
        } catch (...) {
            call.failure = std::current_exception();
        }
        transaction.let_go();
        return call.failure ? FREEHOLD_ERROR_SCHEMA_MISMATCH : FREEHOLD_OK;
    };
    const detail::Definitions given(definitions);
    const freehold_error_code_t code = freehold_schema_update(handle_.get(), version, given.count(), given.get(), apply, &call);
    if (call.failure) std::rethrow_exception(call.failure);
    detail::check(code);
}

} // namespace freehold

#endif
