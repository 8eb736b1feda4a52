// Objects that a cursor of the library returns, a few hundred at a time.
#ifndef FREEHOLD_CPP_IN_TURN_HPP
#define FREEHOLD_CPP_IN_TURN_HPP

#include "object.hpp"
#include "single_pass.hpp"

namespace freehold::detail {

// The common base of index ranges and scans: `Cursor` names the handle, and how to get more keys and close it.
template <typename Cursor>
class InTurn {
public:
    // The next object, or an empty optional at the end.
    std::optional<Object> next()
    {
        if (place_ == filled_ && !fill()) return std::nullopt;
        return Object(context_, class_, keys_[place_++]);
    }

    using Iterator = SinglePassIterator<InTurn, Object>;

    Iterator begin() { return Iterator(this); }
    Iterator end() { return Iterator(); }

protected:
    InTurn(const Context &context, freehold_class_t object_class) : context_(context), class_(object_class), keys_(256) {}

    // Discards the keys already read.
    void forget()
    {
        place_ = filled_ = 0;
        is_at_end_ = false;
    }

    Context context_;
    freehold_class_t class_;
    Owned<typename Cursor::Handle, Cursor::close> handle_;

private:
    bool fill()
    {
        if (is_at_end_) return false;
        place_ = filled_ = 0;
        check(Cursor::next(handle_.get(), keys_.size(), keys_.data(), &filled_));
        is_at_end_ = filled_ < keys_.size();
        return filled_ > 0;
    }

    std::vector<Key> keys_;
    std::size_t place_ = 0, filled_ = 0;
    bool is_at_end_ = false;
};

} // namespace freehold::detail

#endif
