// Long strings and data: parts of them, and values of up to 4 GiB written piece by piece while others commit.
//
//     freehold::LargeValue frames = database.large_value();
//     while (read(buffer)) frames.write(buffer);                     // nobody waits for that
//     frames.finish();
//     database.write([&](freehold::Transaction &transaction) { transaction.find("Film", 1)->set("frames", frames); });
#ifndef FREEHOLD_CPP_LARGE_VALUE_HPP
#define FREEHOLD_CPP_LARGE_VALUE_HPP

#include "database.hpp"

namespace freehold {

// A value that is written into the file outside the writer lock. No reader sees it before a transaction sets a
// property to it; if none does, its space is freed when this object ends. One thread at a time; it must live until
// that transaction is committed.
class LargeValue {
public:
    // Appends bytes to the value. Must not be called within a transaction of the same thread.
    void write(Bytes bytes) { detail::check(freehold_large_value_write(handle_.get(), bytes.data, bytes.size)); }
    void write(std::string_view text) { detail::check(freehold_large_value_write(handle_.get(), text.data(), text.size())); }

    // Completes the value and makes it durable; then a transaction can set a property to it.
    void finish() { detail::check(freehold_large_value_finish(handle_.get())); }

private:
    friend class Database;
    friend class Object;
    LargeValue() = default;
    detail::Owned<freehold_large_value_t, freehold_large_value_close> handle_;
};

inline LargeValue Database::large_value(std::uint64_t expected_length) const
{
    LargeValue value;
    detail::check(freehold_large_value_open(handle_.get(), expected_length, value.handle_.place()));
    return value;
}

inline std::uint64_t Object::length(std::string_view name) const
{
    std::uint64_t length = 0;
    const freehold_property_t property = context_.find_property(class_, name);
    if (!detail::found(freehold_object_read_part(context_.reader, class_, key_, property, 0, nullptr, 0, nullptr, &length))) gone();
    return length;
}

inline std::size_t Object::read_part(std::string_view name, std::uint64_t offset, void *bytes, std::size_t capacity) const
{
    std::size_t count = 0;
    const freehold_property_t property = context_.find_property(class_, name);
    if (!detail::found(freehold_object_read_part(context_.reader, class_, key_, property, offset, bytes, capacity, &count, nullptr))) gone();
    return count;
}

inline void Object::write_part(std::string_view name, std::uint64_t offset, Bytes bytes)
{
    const freehold_property_t property = context_.find_property(class_, name);
    if (!detail::found(freehold_object_write_part(context_.writing(), class_, key_, property, offset, bytes.data, bytes.size))) gone();
}

inline void Object::write_part(std::string_view name, std::uint64_t offset, std::string_view text)
{
    write_part(name, offset, Bytes{reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
}

inline void Object::truncate(std::string_view name, std::uint64_t length)
{
    const freehold_property_t property = context_.find_property(class_, name);
    if (!detail::found(freehold_object_truncate(context_.writing(), class_, key_, property, length))) gone();
}

inline void Object::set(std::string_view name, const LargeValue &value)
{
    const freehold_property_t property = context_.find_property(class_, name);
    if (!detail::found(freehold_object_set_large_value(context_.writing(), class_, key_, property, value.handle_.get()))) gone();
}

} // namespace freehold

#endif
