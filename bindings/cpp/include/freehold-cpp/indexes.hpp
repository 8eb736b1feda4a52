// Lookups in the ordered indexes of properties, and backlinks.
//
//     for (const freehold::Object person : snapshot.index("Person", "age", 18, 65)) ...          // from 18 to below 65, by age
//     for (const freehold::Object person : snapshot.index("Person", "age", nullptr, nullptr, true)) ...    // all, the oldest first
//     for (const freehold::Object dog : person.backlinks("Dog", "owner")) ...
#ifndef FREEHOLD_CPP_INDEXES_HPP
#define FREEHOLD_CPP_INDEXES_HPP

#include "in_turn.hpp"
#include "reader.hpp"

namespace freehold {

namespace detail {

struct IndexCursor {
    using Handle = freehold_index_cursor_t;
    static constexpr auto close = freehold_index_cursor_close;
    static constexpr auto next = freehold_index_cursor_next;
};

} // namespace detail

// A single-pass range over objects in the order of an index, read a few hundred at a time. After its snapshot was
// refreshed, it continues after the last object's position in the newer version; over a transaction it sees changes
// after that position.
class IndexRange : public detail::InTurn<detail::IndexCursor> {
private:
    friend class Reader;
    using InTurn::InTurn;
};

namespace detail {

// The objects whose keys `fill(capacity, keys, &count)` writes.
template <typename Fill>
std::vector<Object> objects(const Context &context, freehold_class_t object_class, Fill &&fill)
{
    std::vector<Key> keys(64);
    std::uint64_t count = 0;
    check(fill(keys.size(), keys.data(), &count));
    if (count > keys.size()) {
        keys.resize(static_cast<std::size_t>(count));
        check(fill(keys.size(), keys.data(), &count));
    }
    std::vector<Object> objects;
    for (std::size_t place = 0; place < count; place++) objects.emplace_back(context, object_class, keys[place]);
    return objects;
}

} // namespace detail

inline IndexRange Reader::index(
    std::string_view class_name, std::string_view property, const Value &from, const Value &to, bool descending) const
{
    const freehold_class_t number = context_.find_class(class_name);
    IndexRange range(context_, number);
    const auto limit = [](const Value &value) { return value.get().type == FREEHOLD_TYPE_NULL ? nullptr : &value.get(); };
    detail::check(freehold_index_cursor_open(
        context_.reader, number, context_.find_property(number, property), limit(from), limit(to), descending, range.handle_.place()));
    return range;
}

inline std::uint64_t Reader::index_count(std::string_view class_name, std::string_view property, const Value &value) const
{
    const freehold_class_t number = context_.find_class(class_name);
    std::uint64_t count = 0;
    detail::check(freehold_index_count(context_.reader, number, context_.find_property(number, property), &value.get(), &count));
    return count;
}

inline std::vector<Object> Reader::index_equal(std::string_view class_name, std::string_view property, const Value &value) const
{
    const freehold_class_t number = context_.find_class(class_name);
    const freehold_property_t found = context_.find_property(number, property);
    return detail::objects(context_, number, [&](std::size_t capacity, Key *keys, std::uint64_t *count) {
        return freehold_index_equal(context_.reader, number, found, &value.get(), capacity, keys, count);
    });
}

inline std::vector<Object> Object::backlinks(std::string_view class_name, std::string_view property) const
{
    const freehold_class_t origin = context_.find_class(class_name);
    const freehold_property_t found = context_.find_property(origin, property);
    return detail::objects(context_, origin, [&](std::size_t capacity, Key *keys, std::uint64_t *count) {
        return freehold_object_backlinks(context_.reader, key_, origin, found, capacity, keys, count);
    });
}

} // namespace freehold

#endif
