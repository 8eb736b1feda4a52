// Structs as classes: a mapping beside a struct declares its members' properties.
//
//     struct Person {
//         std::int64_t id = 0;
//         std::string name;
//         std::optional<double> height;
//         std::vector<std::string> tags;
//     };
//
//     template <> struct freehold::Mapping<Person> {
//         static constexpr std::string_view name = "Person";
//         static constexpr auto members = std::make_tuple(
//             freehold::member("id", &Person::id, FREEHOLD_PROPERTY_PRIMARY_KEY), freehold::member("name", &Person::name),
//             freehold::member("height", &Person::height), freehold::member("tags", &Person::tags));
//     };
//
//     transaction.create_class<Person>();
//     transaction.add(Person{1, "Ada", 1.7, {"first"}});
//     Person ada = snapshot.find("Person", 1)->load<Person>();
#ifndef FREEHOLD_CPP_MAPPING_HPP
#define FREEHOLD_CPP_MAPPING_HPP

#include "transaction.hpp"

#include <tuple>

namespace freehold {

// A member of a struct and the name of its property.
template <typename Struct, typename Type>
struct MappedMember {
    std::string_view name;
    Type Struct::*member;
    std::uint32_t flags;
};

template <typename Struct, typename Type>
constexpr MappedMember<Struct, Type> member(std::string_view name, Type Struct::*place, std::uint32_t flags = 0)
{
    return {name, place, flags};
}

namespace detail {

// Fills in the property type, nullability and collections that a C++ type has in a file.
template <typename Type>
void describe(PropertyDefinition &property)
{
    if constexpr (IsOptional<Type>::value) {
        property.flags |= FREEHOLD_PROPERTY_NULLABLE;
        describe<typename Type::value_type>(property);
    } else if constexpr (std::is_same_v<Type, bool>) {
        property.type = FREEHOLD_TYPE_BOOL;
    } else if constexpr (std::is_integral_v<Type>) {
        property.type = FREEHOLD_TYPE_INT;
    } else if constexpr (std::is_same_v<Type, float>) {
        property.type = FREEHOLD_TYPE_FLOAT;
    } else if constexpr (std::is_same_v<Type, double>) {
        property.type = FREEHOLD_TYPE_DOUBLE;
    } else if constexpr (std::is_same_v<Type, std::string>) {
        property.type = FREEHOLD_TYPE_STRING;
    } else if constexpr (std::is_same_v<Type, std::vector<std::uint8_t>>) {
        property.type = FREEHOLD_TYPE_DATA;
    } else if constexpr (std::is_same_v<Type, Time>) {
        property.type = FREEHOLD_TYPE_DATE;
    } else if constexpr (std::is_same_v<Type, Uuid>) {
        property.type = FREEHOLD_TYPE_UUID;
    } else if constexpr (std::is_same_v<Type, ObjectId>) {
        property.type = FREEHOLD_TYPE_OBJECT_ID;
    } else if constexpr (std::is_same_v<Type, Decimal>) {
        property.type = FREEHOLD_TYPE_DECIMAL;
    } else if constexpr (IsVector<Type>::value) {
        property.collections.push_back(FREEHOLD_TYPE_LIST);
        describe<typename Type::value_type>(property);
    } else if constexpr (IsSet<Type>::value) {
        property.collections.push_back(FREEHOLD_TYPE_SET);
        describe<typename Type::value_type>(property);
    } else {
        static_assert(IsMap<Type>::value, "a database cannot store this type");
        property.collections.push_back(FREEHOLD_TYPE_MAP);
        describe<typename Type::mapped_type>(property);
    }
}

template <typename Struct, typename Type>
PropertyDefinition definition(const MappedMember<Struct, Type> &member)
{
    PropertyDefinition property{member.name, FREEHOLD_TYPE_NULL, member.flags};
    describe<Type>(property);
    return property;
}

// Whether a mapping says how its class is synced.
template <typename Struct, typename = void>
struct MappedSync {
    static constexpr freehold_sync_t value = FREEHOLD_SYNC_NONE;
};
template <typename Struct>
struct MappedSync<Struct, std::void_t<decltype(Mapping<Struct>::sync)>> {
    static constexpr freehold_sync_t value = Mapping<Struct>::sync;
};

} // namespace detail

// The definition of a mapped struct's class, as Transaction::adopt and Database::update take it. A mapping with a member
// `static constexpr freehold_sync_t sync = FREEHOLD_SYNC_DELETION_WINS;` is of a synced class.
template <typename Struct>
ClassDefinition definition()
{
    ClassDefinition made = std::apply([](const auto &...members) {
        return ClassDefinition{Mapping<Struct>::name, {detail::definition(members)...}};
    }, Mapping<Struct>::members);
    made.sync = detail::MappedSync<Struct>::value;
    return made;
}

template <typename Struct>
void Transaction::create_class()
{
    create_classes({definition<Struct>()});
}

template <typename Struct>
Object Transaction::add(const Struct &object)
{
    return std::apply([&](const auto &...members) {
        const Member given[] = {Member{members.name, Value(object.*members.member)}...};
        return make(Mapping<Struct>::name, given);
    }, Mapping<Struct>::members);
}

template <typename Struct>
Struct Object::load() const
{
    Struct made{};
    std::apply([&](const auto &...members) {
        ((made.*members.member = get<std::decay_t<decltype(made.*members.member)>>(members.name)), ...);
    }, Mapping<Struct>::members);
    return made;
}

} // namespace freehold

#endif
