// Iterators over single-pass ranges: `next` in a for loop.
#ifndef FREEHOLD_CPP_SINGLE_PASS_HPP
#define FREEHOLD_CPP_SINGLE_PASS_HPP

#include <cstddef>
#include <iterator>
#include <optional>

namespace freehold::detail {

// An iterator over a range with `std::optional<Element> next()`; it holds its current element.
template <typename Range, typename Element>
class SinglePassIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Element;
    using difference_type = std::ptrdiff_t;
    using pointer = const Element *;
    using reference = const Element &;

    SinglePassIterator() = default;
    explicit SinglePassIterator(Range *range) : range_(range) { ++*this; }
    const Element &operator*() const { return *element_; }
    const Element *operator->() const { return &*element_; }
    SinglePassIterator &operator++()
    {
        element_ = range_->next();
        return *this;
    }
    SinglePassIterator operator++(int)
    {
        SinglePassIterator before = *this;
        ++*this;
        return before;
    }
    // Compares only whether both iterators are at the end.
    friend bool operator==(const SinglePassIterator &one, const SinglePassIterator &other) { return !one.element_ && !other.element_; }
    friend bool operator!=(const SinglePassIterator &one, const SinglePassIterator &other) { return !(one == other); }

private:
    Range *range_ = nullptr;
    std::optional<Element> element_;
};

} // namespace freehold::detail

#endif
