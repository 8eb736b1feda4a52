// All objects of a class by ascending key, found as they are asked for: for classes of any size, and from a key on.
//
//     for (const freehold::Object person : snapshot.scan("Person")) ...
//
//     freehold::Scan scan = snapshot.scan("Person", after + 1);                         // the next page
//     for (int line = 0; line < 20; line++)
//         if (const std::optional<freehold::Object> person = scan.next()) show(*person);
#ifndef FREEHOLD_CPP_SCAN_HPP
#define FREEHOLD_CPP_SCAN_HPP

#include "in_turn.hpp"
#include "reader.hpp"

namespace freehold {

namespace detail {

struct ScanCursor {
    using Handle = freehold_cursor_t;
    static constexpr auto close = freehold_cursor_close;
    static freehold_error_code_t next(Handle *cursor, std::size_t capacity, Key *keys, std::size_t *filled)
    {
        return freehold_cursor_next(cursor, capacity, keys, nullptr, filled);
    }
};

} // namespace detail

// Objects by ascending key, to be gone through once, some hundred at a time. When its snapshot is refreshed it goes on behind the last one found in
// the newer version; over a transaction it sees changes behind that one.
class Scan : public detail::InTurn<detail::ScanCursor> {
public:
    // Goes on from the first object whose key is at least `key`.
    void seek(Key key)
    {
        detail::check(freehold_cursor_seek(handle_.get(), key));
        forget();
    }

private:
    friend class Reader;
    using InTurn::InTurn;
};

inline Scan Reader::scan(std::string_view class_name, Key from) const
{
    const freehold_class_t number = context_.find_class(class_name);
    Scan scan(context_, number);
    detail::check(freehold_cursor_open(context_.reader, number, 0, nullptr, scan.handle_.place()));
    if (from != INT64_MIN) scan.seek(from);
    return scan;
}

} // namespace freehold

#endif
