// Carries what was found through one reader over to another: to a snapshot for another thread, a newer snapshot, or
// a transaction that can change it.
//
//     const freehold::Results people = snapshot.query("Person", "age >= 18");
//     const freehold::Snapshot other = snapshot.another();
//     const freehold::Results same = people.another(other);
//     std::thread([&] { show(same); }).join();
//
// Call `another` on the thread that uses the first reader; hand its result over afterwards, with the other reader.
#ifndef FREEHOLD_CPP_HANDING_OVER_HPP
#define FREEHOLD_CPP_HANDING_OVER_HPP

#include "transaction.hpp"

namespace freehold {

namespace detail {

// The number of a class in the version that another reader shows.
inline freehold_class_t same_class(const Context &context, freehold_class_t number, const Context &other)
{
    freehold_version_t version = 0, other_version = 0;
    check(freehold_reader_version(context.reader, &version));
    check(freehold_reader_version(other.reader, &other_version));
    if (version == other_version) return number;
    freehold_class_info_t info = {};
    info.size = sizeof info;
    check(freehold_class_info(context.reader, number, &info));
    return other.find_class(std::string(view(info.name)));
}

} // namespace detail

inline Results Results::another(const Reader &reader) const
{
    Results made(reader.context_, detail::same_class(context_, class_, reader.context_));
    detail::check(freehold_results_another(handle_.get(), reader.context_.reader, made.handle_.place()));
    detail::check(freehold_results_keys(made.handle_.get(), &made.keys_, &made.count_));
    return made;
}

inline Query Query::another(const Reader &reader) const
{
    Query made(reader.context_, detail::same_class(context_, class_, reader.context_));
    detail::check(freehold_query_another(handle_.get(), reader.context_.reader, made.handle_.place()));
    return made;
}

inline std::optional<Collection> Collection::another(const Reader &reader) const
{
    Collection made(reader.context_);
    if (!detail::found(freehold_collection_another(handle_.get(), reader.context_.reader, made.handle_.place()))) return std::nullopt;
    return made;
}

inline std::optional<Object> Object::another(const Reader &reader) const
{
    const Object made(reader.context_, detail::same_class(context_, class_, reader.context_), key_);
    if (!made.exists()) return std::nullopt;
    return made;
}

} // namespace freehold

#endif
