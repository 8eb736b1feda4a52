// Scans of a class by ascending key, from a key on. Objects are found as they are read, for classes of any size.
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

// A single-pass range over objects by ascending key, read a few hundred at a time. After its snapshot was refreshed,
// it continues after the last object found in the newer version; over a transaction it sees changes after that
// object.
class Scan : public detail::InTurn<detail::ScanCursor> {
public:
    // Moves the scan to the first object whose key is at least `key`.
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
