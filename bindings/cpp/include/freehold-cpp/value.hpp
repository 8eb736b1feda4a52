// Conversion of values between C++ and the library.
//
//     order.set({{"price", freehold::Decimal("19.90")}, {"placed", std::chrono::system_clock::now()}, {"tags", std::set<std::string>{"new"}},
//                {"note", nullptr}, {"any", 2.5}});
//     const auto note = order.get<std::optional<std::string>>("note");
#ifndef FREEHOLD_CPP_VALUE_HPP
#define FREEHOLD_CPP_VALUE_HPP

#include "error.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <type_traits>
#include <vector>

namespace freehold {

// The key of an object within its class.
using Key = freehold_key_t;
// A point in time, to the nanosecond: between the years 1678 and 2262.
using Time = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

// Bytes in the file; for their lifetime see freehold.hpp.
struct Bytes {
    const std::uint8_t *data = nullptr;
    std::size_t size = 0;
};

// The 16 bytes of a UUID, in the order of its text.
struct Uuid {
    std::array<std::uint8_t, 16> bytes{};
    friend bool operator==(const Uuid &one, const Uuid &other) { return one.bytes == other.bytes; }
    friend bool operator<(const Uuid &one, const Uuid &other) { return one.bytes < other.bytes; }
};

// The 12 bytes of an ObjectId.
struct ObjectId {
    std::array<std::uint8_t, 12> bytes{};
    friend bool operator==(const ObjectId &one, const ObjectId &other) { return one.bytes == other.bytes; }
    friend bool operator<(const ObjectId &one, const ObjectId &other) { return one.bytes < other.bytes; }
};

// A decimal number of up to 34 digits, as in IEEE 754-2008's decimal128: 1.0 and 1.00 are different values of the
// same number.
struct Decimal {
    freehold_decimal_t digits = {0, std::uint64_t(0x3040) << 48};

    Decimal() = default;
    explicit Decimal(freehold_decimal_t given) : digits(given) {}
    // Parses digits with or without a point, an exponent, or NaN, Infinity; more than 34 digits are rounded. Throws
    // FREEHOLD_ERROR_MALFORMED_INPUT.
    explicit Decimal(std::string_view text) { detail::check(freehold_decimal_parse(text.data(), text.size(), &digits)); }

    // The number as text, which parses back to exactly the same digits.
    std::string text() const
    {
        char text[FREEHOLD_DECIMAL_TEXT];
        detail::check(freehold_decimal_format(digits, text, sizeof text));
        return text;
    }

    // Whether the digits are the same.
    friend bool operator==(const Decimal &one, const Decimal &other)
    {
        return one.digits.low == other.digits.low && one.digits.high == other.digits.high;
    }
    friend bool operator!=(const Decimal &one, const Decimal &other) { return !(one == other); }
};

// A link to an object by class and key; Object converts to one.
struct Link {
    Key key = 0;
    // The target's class, or FREEHOLD_NONE if the property knows it.
    freehold_class_t object_class = FREEHOLD_NONE;
};

// A value that is passed to the library. Strings and vectors are not copied: they must stay valid until the call.
// The target of a std::string_view or Bytes is copied, because a transaction's text is valid only until its next
// call, and a function that takes the value may make several. Collections keep their own elements.
class Value {
public:
    Value() : value_(freehold_null()) {}
    Value(std::nullptr_t) : Value() {}
    Value(std::nullopt_t) : Value() {}
    Value(bool flag) : value_(freehold_bool(flag)) {}
    template <typename Number, std::enable_if_t<std::is_integral_v<Number> && !std::is_same_v<Number, bool>, int> = 0>
    Value(Number number) : value_(freehold_int(static_cast<std::int64_t>(number)))
    {
        if (std::is_unsigned_v<Number> && value_.as.integer < 0)
            throw Error(FREEHOLD_ERROR_VALUE_TOO_LARGE, std::to_string(number) + " is larger than a signed integer of 64 bits", "", 0);
    }
    Value(float number) : value_(freehold_float(number)) {}
    Value(double number) : value_(freehold_double(number)) {}
    // Deleted, so that other pointers do not convert to bool.
    template <typename Pointed, std::enable_if_t<!std::is_same_v<std::remove_cv_t<Pointed>, char>, int> = 0>
    Value(Pointed *) = delete;
    Value(const char *text) : value_(freehold_string(text, std::strlen(text))) {}
    Value(std::string_view text) { value_ = freehold_string(keep(text.data(), text.size()), text.size()); }
    Value(const std::string &text) : value_(freehold_string(text.data(), text.size())) {}
    Value(Bytes bytes) { value_ = freehold_data(reinterpret_cast<const std::uint8_t *>(keep(bytes.data, bytes.size)), bytes.size); }
    Value(const std::vector<std::uint8_t> &bytes)
        : value_(freehold_data(bytes.empty() ? reinterpret_cast<const std::uint8_t *>("") : bytes.data(), bytes.size())) {}
    Value(Time time)
    {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
        const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds);
        value_ = freehold_date(seconds.time_since_epoch().count(), static_cast<std::int32_t>(rest.count()));
    }
    Value(const Uuid &id) : value_(freehold_uuid(id.bytes.data())) {}
    Value(const ObjectId &id) : value_(freehold_object_id(id.bytes.data())) {}
    Value(const Decimal &number) : value_(freehold_decimal(number.digits)) {}
    Value(Link link) : value_(freehold_object(link.key, link.object_class)) {}
    template <typename Content>
    Value(const std::optional<Content> &content) : Value()
    {
        if (content) *this = Value(*content);
    }
    template <typename Element, std::enable_if_t<!std::is_same_v<Element, std::uint8_t>, int> = 0>
    Value(const std::vector<Element> &elements)
    {
        for (const auto &element : elements) add(Value(static_cast<const Element &>(element)));
        value_ = freehold_list(elements_.data(), elements_.size());
    }
    template <typename Element>
    Value(const std::set<Element> &elements)
    {
        for (const Element &element : elements) add(Value(element));
        value_ = freehold_set(elements_.data(), elements_.size());
    }
    template <typename Element>
    Value(const std::map<std::string, Element> &entries)
    {
        for (const auto &[key, element] : entries) {
            inner_.emplace_back(element);
            entries_.push_back({{key.data(), key.size()}, inner_.back().get()});
        }
        value_ = freehold_map(entries_.data(), entries_.size());
    }
    Value(Value &&) = default;
    Value &operator=(Value &&) = default;

    // The value as the C functions take it, valid as long as this object.
    const freehold_value_t &get() const { return value_; }

private:
    const char *keep(const void *bytes, std::size_t size)
    {
        if (size == 0) return "";
        kept_.reset(new char[size]);
        return static_cast<const char *>(std::memcpy(kept_.get(), bytes, size));
    }

    void add(Value element)
    {
        inner_.push_back(std::move(element));
        elements_.push_back(inner_.back().get());
    }

    freehold_value_t value_;
    // Moving these containers leaves their elements in place.
    std::unique_ptr<char[]> kept_;
    std::vector<Value> inner_;
    std::vector<freehold_value_t> elements_;
    std::vector<freehold_entry_t> entries_;
};

// The name of a property and its new value.
struct Member {
    std::string_view name;
    Value value;
};

// A named argument of a query, written $name in the query.
//
//     snapshot.query("Person", "age >= $least OR boss.age >= $least", freehold::Named{"least", 18});
struct Named {
    std::string_view name;
    Value value;
};

namespace detail {

// The arguments of a query as the C functions take them: some by position, the others by name.
template <std::size_t most>
class Given {
public:
    template <typename... Arguments>
    explicit Given(const Arguments &...arguments) { (add(arguments), ...); }
    Given(const Given &) = delete;
    Given &operator=(const Given &) = delete;

    std::size_t count() const { return count_; }
    const freehold_value_t *values() const { return values_; }
    std::size_t named_count() const { return named_count_; }
    const freehold_entry_t *named() const { return named_; }

private:
    void add(const Named &argument) { named_[named_count_++] = {text(argument.name), argument.value.get()}; }
    void add(const Value &argument) { values_[count_++] = argument.get(); }
    template <typename Argument>
    void add(const Argument &argument)
    {
        kept_[count_] = Value(argument);
        values_[count_] = kept_[count_].get();
        count_++;
    }

    // One element more than needed, as there may be no arguments.
    Value kept_[most + 1];
    freehold_value_t values_[most + 1];
    freehold_entry_t named_[most + 1];
    std::size_t count_ = 0, named_count_ = 0;
};

// The arguments of a function that takes them by position only.
template <typename... Arguments>
Given<sizeof...(Arguments)> positional(const Arguments &...arguments)
{
    static_assert(!(std::is_same_v<Arguments, Named> || ...), "a watch takes arguments by position: %@, or $0, $1, ...");
    return Given<sizeof...(Arguments)>(arguments...);
}

inline void require(const freehold_value_t &value, freehold_type_t type, const char *wanted)
{
    if (value.type == type) return;
    throw Error(FREEHOLD_ERROR_TYPE_MISMATCH,
                std::string(value.type == FREEHOLD_TYPE_NULL ? "null" : "a value of another type") + " was found instead of " + wanted
                    + (value.type == FREEHOLD_TYPE_NULL ? "; use a std::optional" : ""), "", 0);
}

template <typename> struct IsOptional : std::false_type {};
template <typename Content> struct IsOptional<std::optional<Content>> : std::true_type {};
template <typename> struct IsVector : std::false_type {};
template <typename Element> struct IsVector<std::vector<Element>> : std::true_type {};
template <typename> struct IsSet : std::false_type {};
template <typename Element> struct IsSet<std::set<Element>> : std::true_type {};
template <typename> struct IsMap : std::false_type {};
template <typename Element> struct IsMap<std::map<std::string, Element>> : std::true_type {};

template <typename Result>
Result number(const freehold_value_t &value)
{
    require(value, FREEHOLD_TYPE_INT, "an integer");
    const auto result = static_cast<Result>(value.as.integer);
    if (static_cast<std::int64_t>(result) != value.as.integer || (std::is_unsigned_v<Result> && value.as.integer < 0))
        throw Error(FREEHOLD_ERROR_VALUE_TOO_LARGE, std::to_string(value.as.integer) + " does not fit the requested integer type", "", 0);
    return result;
}

inline Time time(const freehold_value_t &value)
{
    require(value, FREEHOLD_TYPE_DATE, "a date");
    const std::int64_t seconds = value.as.date.seconds;
    if (seconds > 9223372035 || seconds < -9223372036)
        throw Error(FREEHOLD_ERROR_VALUE_TOO_LARGE, "the date is outside the years 1678 to 2262", "", 0);
    return Time(std::chrono::seconds(seconds) + std::chrono::nanoseconds(value.as.date.nanoseconds));
}

// Converts to the C++ value; throws if the type differs.
template <typename Result>
Result from(const freehold_value_t &value)
{
    if constexpr (IsOptional<Result>::value) {
        if (value.type == FREEHOLD_TYPE_NULL) return std::nullopt;
        return from<typename Result::value_type>(value);
    } else if constexpr (std::is_same_v<Result, bool>) {
        require(value, FREEHOLD_TYPE_BOOL, "a bool");
        return value.as.boolean;
    } else if constexpr (std::is_integral_v<Result>) {
        return number<Result>(value);
    } else if constexpr (std::is_floating_point_v<Result>) {
        if (value.type == FREEHOLD_TYPE_FLOAT) return static_cast<Result>(value.as.single);
        if (value.type == FREEHOLD_TYPE_INT) return static_cast<Result>(value.as.integer);
        require(value, FREEHOLD_TYPE_DOUBLE, "a number");
        return static_cast<Result>(value.as.real);
    } else if constexpr (std::is_same_v<Result, std::string_view> || std::is_same_v<Result, std::string>) {
        require(value, FREEHOLD_TYPE_STRING, "a string");
        return Result(value.as.string.bytes, value.as.string.length);
    } else if constexpr (std::is_same_v<Result, Bytes>) {
        require(value, FREEHOLD_TYPE_DATA, "data");
        return Bytes{value.as.data.bytes, value.as.data.length};
    } else if constexpr (std::is_same_v<Result, std::vector<std::uint8_t>>) {
        require(value, FREEHOLD_TYPE_DATA, "data");
        return Result(value.as.data.bytes, value.as.data.bytes + value.as.data.length);
    } else if constexpr (std::is_same_v<Result, Time>) {
        return time(value);
    } else if constexpr (std::is_same_v<Result, Uuid> || std::is_same_v<Result, ObjectId>) {
        require(value, std::is_same_v<Result, Uuid> ? FREEHOLD_TYPE_UUID : FREEHOLD_TYPE_OBJECT_ID, "an identifier");
        Result id;
        std::memcpy(id.bytes.data(), value.as.uuid, id.bytes.size());
        return id;
    } else if constexpr (std::is_same_v<Result, Decimal>) {
        require(value, FREEHOLD_TYPE_DECIMAL, "a decimal number");
        return Decimal(value.as.decimal);
    } else if constexpr (std::is_same_v<Result, Link>) {
        require(value, FREEHOLD_TYPE_LINK, "a link");
        return Link{value.as.link.key, value.as.link.object_class};
    } else if constexpr (IsVector<Result>::value || IsSet<Result>::value) {
        require(value, IsSet<Result>::value ? FREEHOLD_TYPE_SET : FREEHOLD_TYPE_LIST, "a collection");
        Result elements;
        for (std::size_t place = 0; place < value.as.list.count; place++)
            elements.insert(elements.end(), from<typename Result::value_type>(value.as.list.values[place]));
        return elements;
    } else {
        static_assert(IsMap<Result>::value, "a database cannot store this type");
        require(value, FREEHOLD_TYPE_MAP, "a map");
        Result entries;
        for (std::size_t place = 0; place < value.as.map.count; place++) {
            const freehold_entry_t &entry = value.as.map.entries[place];
            entries.emplace(std::string(view(entry.key)), from<typename Result::mapped_type>(entry.value));
        }
        return entries;
    }
}

} // namespace detail
} // namespace freehold

#endif
