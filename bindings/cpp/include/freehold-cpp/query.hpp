// Queries, their results and groups, and columns of results.
//
//     const freehold::Query query = snapshot.prepare("Person", "age >= %@ SORT(name ASC)", 18);
//     for (const freehold::Object person : query.run()) std::cout << person.get<std::string_view>("name") << '\n';
//     const std::vector<double> heights = query.run().column<double>("height");
//     const freehold::Groups cities = snapshot.prepare("Person", "GROUP(city) SELECT(@count, age.@avg)").groups();
//     for (std::size_t row = 0; row < cities.size(); row++)
//         std::cout << cities.value<std::string_view>(row) << ": " << cities.figure<int>(row, 0) << ", " << cities.figure<double>(row, 1) << '\n';
#ifndef FREEHOLD_CPP_QUERY_HPP
#define FREEHOLD_CPP_QUERY_HPP

#include "object.hpp"

#include <exception>
#include <iosfwd>
#include <iterator>

namespace freehold {

// The objects that a query found, in its order.
class Results {
public:
    std::size_t size() const { return static_cast<std::size_t>(count_); }
    bool empty() const { return count_ == 0; }
    Object operator[](std::size_t place) const { return Object(context_, class_, keys_[place]); }
    Object at(std::size_t place) const
    {
        if (place < size()) return (*this)[place];
        throw Error(FREEHOLD_ERROR_INVALID_ARGUMENT, "there is no object " + std::to_string(place) + "; there are " + std::to_string(size()), "", 0);
    }
    const Key *keys() const { return keys_; }

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Object;
        using difference_type = std::ptrdiff_t;
        using pointer = const Object *;
        using reference = Object;

        Iterator(const Results *results, std::size_t place) : results_(results), place_(place) {}
        Object operator*() const { return (*results_)[place_]; }
        Iterator &operator++()
        {
            place_++;
            return *this;
        }
        friend bool operator==(const Iterator &one, const Iterator &other) { return one.place_ == other.place_; }
        friend bool operator!=(const Iterator &one, const Iterator &other) { return one.place_ != other.place_; }

    private:
        const Results *results_;
        std::size_t place_;
    };

    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }

    // Reads one property of all objects as one array. The fastest element types are std::int64_t for ints, bools,
    // links and dates (nanoseconds since 1970), with 0 where the property is null, and double for all numbers, with
    // NaN where it is null. For other types the elements are those of Object::get. A std::string_view is valid as
    // freehold.hpp says: from a transaction read std::string instead.
    template <typename Element>
    std::vector<Element> column(std::string_view name) const
    {
        const freehold_property_t property = context_.find_property(class_, name);
        std::vector<Element> column;
        std::size_t filled = 0;
        if constexpr (std::is_same_v<Element, double>) {
            column.resize(size());
            detail::check(freehold_results_reals(handle_.get(), property, 0, size(), column.data(), nullptr, &filled));
        } else if constexpr (std::is_same_v<Element, std::int64_t>) {
            column.resize(size());
            detail::check(freehold_results_integers(handle_.get(), property, 0, size(), column.data(), nullptr, &filled));
        } else {
            constexpr std::size_t step = 256;
            std::array<freehold_value_t, step> values;
            for (filled = step; filled == step;) {
                detail::check(freehold_results_get(handle_.get(), column.size(), step, 1, &property, values.data(), &filled));
                for (std::size_t place = 0; place < filled; place++) column.push_back(detail::from<Element>(values[place]));
            }
        }
        return column;
    }

    // The objects as JSON, in the form of `freehold export`: one array, or one object on each line.
    std::string json(bool lines = false) const
    {
        std::string text;
        detail::check(freehold_json_results(handle_.get(), lines ? FREEHOLD_JSON_LINES : FREEHOLD_JSON_ARRAY, detail::add_text, &text));
        return text;
    }

    // Writes the JSON to a stream, piece by piece; see json.hpp.
    void write_json(std::ostream &stream, bool lines = false) const;

    // Carries the objects over to another reader; see handing_over.hpp.
    Results another(const Reader &reader) const;

    // Deletes the objects; returns how many there were.
    std::uint64_t remove()
    {
        std::uint64_t count = 0;
        detail::check(freehold_results_delete(handle_.get(), context_.writing(), &count));
        return count;
    }

private:
    friend class Query;
    Results(const detail::Context &context, freehold_class_t object_class) : context_(context), class_(object_class) {}

    detail::Context context_;
    freehold_class_t class_;
    detail::Owned<freehold_results_t, freehold_results_close> handle_;
    const Key *keys_ = nullptr;
    std::uint64_t count_ = 0;
};

// The groups that a query found, with their aggregates. A std::string_view of a value is valid as long as the
// Groups.
class Groups {
public:
    std::size_t size() const
    {
        std::uint64_t count = 0;
        detail::check(freehold_groups_count(handle_.get(), &count));
        return static_cast<std::size_t>(count);
    }

    // A common value of a group's objects, by its position in GROUP(…).
    template <typename Result>
    Result value(std::size_t row, std::size_t place = 0) const
    {
        return detail::from<Result>(one(parts(row).first, place));
    }
    // An aggregate of a group, by its position in SELECT(…).
    template <typename Result>
    Result figure(std::size_t row, std::size_t place = 0) const
    {

        return detail::from<Result>(one(parts(row).second, place));
    }

private:
    friend class Query;

    std::pair<freehold_values_t, freehold_values_t> parts(std::size_t row) const
    {
        freehold_values_t values = {nullptr, 0}, figures = {nullptr, 0};
        detail::check(freehold_groups_get(handle_.get(), row, &values, &figures));
        return {values, figures};
    }

    static const freehold_value_t &one(freehold_values_t values, std::size_t place)
    {
        if (place < values.count) return values.values[place];
        throw Error(FREEHOLD_ERROR_INVALID_ARGUMENT, "a group has no value " + std::to_string(place), "", 0);
    }

    detail::Owned<freehold_groups_t, freehold_groups_close> handle_;
};

// A string of an object in which a full-text search found something.
struct FoundText {
    // Bytes of a text, from `start` to below `end`.
    using Range = freehold_range_t;

    // The property, as the query names it, the whole string, and what was found in it.
    std::string path, text;
    std::vector<Range> highlights;
    // The part of the string that shows best what was found, what was found in it, and whether words of the string are
    // before and after it.
    std::string snippet;
    std::vector<Range> snippet_highlights;
    bool cut_before = false, cut_after = false;
};

// A query over the objects of a class, in the language of docs/queries.md. It always reads the version that its
// reader shows.
class Query {
public:
    std::uint64_t count() const
    {
        std::uint64_t count = 0;
        detail::check(freehold_query_count(handle_.get(), &count));
        return count;
    }

    std::optional<Object> first() const
    {
        Key key = 0;
        if (!detail::found(freehold_query_first(handle_.get(), &key))) return std::nullopt;
        return Object(context_, class_, key);
    }

    // The scores of objects: how near their vectors are, after NEAREST (a higher score is nearer, NaN is none); the sums by
    // which FUSE orders, after FUSE; else those of the query's full-text searches, which `SORT(@score DESC)` orders by. These
    // compare objects of one query in one version, and have no unit.
    std::vector<double> scores(const Results &results) const
    {
        std::vector<double> scores(results.size());
        detail::check(freehold_query_scores(handle_.get(), scores.size(), results.keys(), scores.data()));
        return scores;
    }

    // The distances of objects in metres: those that the last `SORT(@distance(...))` of the query orders by, or without one
    // those of the first `@distance(...)` in its condition. NaN for an object without a place.
    std::vector<double> distances(const Results &results) const
    {
        std::vector<double> distances(results.size());
        detail::check(freehold_query_distances(handle_.get(), distances.size(), results.keys(), distances.data()));
        return distances;
    }

    // The strings of an object in which the query's full-text searches found something, with snippets of at most that
    // many words; none if the object does not match.
    std::vector<FoundText> found_texts(const Object &object, std::uint32_t words = 30) const
    {
        struct Call {
            std::vector<FoundText> found;
            std::exception_ptr failure;
        } call;
        const freehold_found_text_callback_t add = [](void *context, const freehold_found_text_t *one) {
            Call &call = *static_cast<Call *>(context);
            try {
                call.found.push_back({std::string(detail::view(one->path)), std::string(detail::view(one->text)),
                                      {one->highlights, one->highlights + one->highlight_count}, std::string(detail::view(one->snippet)),
                                      {one->snippet_highlights, one->snippet_highlights + one->snippet_highlight_count},
                                      one->cut_before, one->cut_after});
            } catch (...) {
                call.failure = std::current_exception();
            }
        };
        const freehold_error_code_t code = freehold_query_found_texts(handle_.get(), object.key(), words, add, &call);
        if (call.failure) std::rethrow_exception(call.failure);
        detail::check(code);
        return std::move(call.found);
    }

    // Whether an object meets the condition.
    bool matches(const Object &object) const { return detail::found(freehold_query_matches(handle_.get(), object.key())); }

    Results run() const
    {
        Results results(context_, class_);
        detail::check(freehold_query_run(handle_.get(), results.handle_.place()));
        detail::check(freehold_results_keys(results.handle_.get(), &results.keys_, &results.count_));
        return results;
    }

    // Runs a query that ends with GROUP(…) SELECT(…), and returns its groups.
    Groups groups() const
    {
        Groups groups;
        detail::check(freehold_query_groups(handle_.get(), groups.handle_.place()));
        return groups;
    }

    // Runs the query over the given objects of the class only, by their keys. The results are in the order given,
    // unless the query sorts.
    Results run_among(const std::vector<Key> &keys) const
    {
        Results results(context_, class_);
        detail::check(freehold_query_run_among(handle_.get(), keys.size(), keys.data(), results.handle_.place()));
        detail::check(freehold_results_keys(results.handle_.get(), &results.keys_, &results.count_));
        return results;
    }

    // Carries the query over to another reader; see handing_over.hpp.
    Query another(const Reader &reader) const;

    // The query as canonical text.
    std::string text() const
    {
        freehold_text_t text = {nullptr, 0};
        detail::check(freehold_query_text(handle_.get(), &text));
        return std::string(detail::view(text));
    }

    // The plan of the query; with `running` the query is also run, and the text says what was read.
    std::string explain(bool running = false) const
    {
        freehold_text_t text = {nullptr, 0};
        detail::check(freehold_query_explain(handle_.get(), running, &text));
        return std::string(detail::view(text));
    }

private:
    friend class Reader;
    Query(const detail::Context &context, freehold_class_t object_class) : context_(context), class_(object_class) {}

    detail::Context context_;
    freehold_class_t class_;
    detail::Owned<freehold_query_t, freehold_query_close> handle_;
};

} // namespace freehold

#endif
