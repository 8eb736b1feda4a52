// Columns: one property of many objects as one array, for reading and for creating objects.
//
//     const std::vector<std::int64_t> ids = {1, 2};
//     const std::vector<std::string> names = {"Ada", "Charles"};
//     transaction.create_many("Person", {{"id", ids}, {"name", names}, {"height", heights.data(), heights.size()}});
//     const std::vector<std::string> all = database.read().column<std::string>("Person", "name");
#ifndef FREEHOLD_CPP_COLUMNS_HPP
#define FREEHOLD_CPP_COLUMNS_HPP

#include "transaction.hpp"

namespace freehold {

// The values of one property for many objects to be created. The arrays passed must stay valid until the call.
class Column {
public:
    // Takes any elements that a Value can be created from. Arrays of std::int64_t, float, double and strings go to
    // the library without a Value for each element.
    template <typename Element>
    Column(std::string_view name, const std::vector<Element> &values) : name_(name), count_(values.size())
    {
        if constexpr (std::is_same_v<Element, std::int64_t> || std::is_same_v<Element, double> || std::is_same_v<Element, float>) {
            point(values.data());
        } else if constexpr (std::is_convertible_v<const Element &, std::string_view>) {
            texts_ = detail::texts(values);
            type_ = FREEHOLD_TYPE_STRING;
            values_ = texts_.data();
        } else {
            for (const auto &element : values) kept_.emplace_back(static_cast<const Element &>(element));
            for (const Value &value : kept_) mixed_.push_back(value.get());
            type_ = FREEHOLD_TYPE_MIXED;
            values_ = mixed_.data();
        }
    }

    // Takes std::int64_t (also for dates, in nanoseconds since 1970, and for keys of links), double or float, from
    // any array. `nulls`, if given, has one byte for each object: 1 where the property is null, whatever `values`
    // holds there.
    template <typename Number>
    Column(std::string_view name, const Number *values, std::size_t count, const std::uint8_t *nulls = nullptr)
        : name_(name), count_(count), nulls_(nulls)
    {
        point(values);
    }

    std::string_view name() const { return name_; }
    std::size_t size() const { return count_; }

private:
    friend class Transaction;

    template <typename Number>
    void point(const Number *values)
    {
        static_assert(std::is_same_v<Number, std::int64_t> || std::is_same_v<Number, double> || std::is_same_v<Number, float>,
                      "a column holds std::int64_t, double or float");
        type_ = std::is_same_v<Number, double> ? FREEHOLD_TYPE_DOUBLE : std::is_same_v<Number, float> ? FREEHOLD_TYPE_FLOAT : FREEHOLD_TYPE_INT;
        values_ = values;
    }

    freehold_column_t get(freehold_property_t property) const { return {sizeof(freehold_column_t), property, type_, values_, nulls_}; }

    std::string_view name_;
    std::size_t count_ = 0;
    freehold_type_t type_ = FREEHOLD_TYPE_MIXED;
    const void *values_ = nullptr;
    const std::uint8_t *nulls_ = nullptr;
    // Moving these containers leaves their elements in place.
    std::vector<freehold_text_t> texts_;
    std::vector<Value> kept_;
    std::vector<freehold_value_t> mixed_;
};

template <typename Columns>
std::optional<Key> Transaction::make_many(std::string_view class_name, const Columns &columns)
{
    const freehold_class_t number = context_.find_class(class_name);
    std::vector<freehold_column_t> given;
    std::size_t count = 0;
    for (const Column &column : columns) {
        if (!given.empty() && column.size() != count)
            throw Error(FREEHOLD_ERROR_INVALID_ARGUMENT, "column '" + std::string(column.name()) + "' has " + std::to_string(column.size())
                        + " values, others have " + std::to_string(count), "", 0);
        count = column.size();
        given.push_back(column.get(context_.find_property(number, column.name())));
    }
    Key first = 0;
    detail::check(freehold_objects_create(handle_.get(), number, count, given.size(), given.data(), &first));
    if (count == 0) return std::nullopt;
    return first;
}

inline std::optional<Key> Transaction::create_many(std::string_view class_name, std::initializer_list<Column> columns)
{
    return make_many(class_name, columns);
}

inline std::optional<Key> Transaction::create_many(std::string_view class_name, const std::vector<Column> &columns)
{
    return make_many(class_name, columns);
}

template <typename Element>
std::vector<Element> Reader::read_column(std::string_view class_name, std::string_view name, std::vector<Key> *keys) const
{
    const freehold_class_t number = context_.find_class(class_name);
    const freehold_property_t property = context_.find_property(number, name);
    std::vector<Element> values;
    std::size_t filled = 0;
    if constexpr (std::is_same_v<Element, std::int64_t> || std::is_same_v<Element, double>) {
        values.resize(static_cast<std::size_t>(count(class_name)));
        if (keys) keys->resize(values.size());
        if (values.empty()) return values;
        Key next = INT64_MIN, *place = keys ? keys->data() : nullptr;
        if constexpr (std::is_same_v<Element, double>)
            detail::check(freehold_column_reals(context_.reader, number, property, &next, values.size(), place, values.data(), nullptr, &filled));
        else
            detail::check(freehold_column_integers(context_.reader, number, property, &next, values.size(), place, values.data(), nullptr, &filled));
        values.resize(filled);
        if (keys) keys->resize(filled);
    } else {
        constexpr std::size_t step = 256;
        detail::Owned<freehold_cursor_t, freehold_cursor_close> cursor;
        detail::check(freehold_cursor_open(context_.reader, number, 1, &property, cursor.place()));
        std::array<Key, step> found;
        std::array<freehold_value_t, step> read;
        for (filled = step; filled == step;) {
            detail::check(freehold_cursor_next(cursor.get(), step, found.data(), read.data(), &filled));
            if (keys) keys->insert(keys->end(), found.begin(), found.begin() + filled);
            for (std::size_t place = 0; place < filled; place++) values.push_back(detail::from<Element>(read[place]));
        }
    }
    return values;
}

} // namespace freehold

#endif
