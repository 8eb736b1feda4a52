// Full-text indexes, indexes of places, of vectors and in a collation, by which queries find sooner what they find without them.
//
//     database.write([](freehold::Transaction &transaction) {
//         transaction.add_full_text_index("Article", {"title", {"body", 0.5}, "author.name"});
//         transaction.add_place_index("Cafe", {"location"});
//     });
//     database.build_indexes();
//     const char *const search = "title, body, author.name TEXT %@ SORT(@score DESC)";
//     for (const freehold::Object article : snapshot.query("Article", search, "cat")) show(article);
#ifndef FREEHOLD_CPP_DERIVED_INDEXES_HPP
#define FREEHOLD_CPP_DERIVED_INDEXES_HPP

#include "database.hpp"

namespace freehold {

namespace detail {

inline std::vector<freehold_index_field_t> fields(const std::vector<IndexField> &fields)
{
    std::vector<freehold_index_field_t> given;
    for (const IndexField &field : fields) given.push_back({{field.path.data(), field.path.size()}, field.weight});
    return given;
}

inline std::vector<freehold_index_field_t> fields(const std::vector<std::string_view> &paths)
{
    std::vector<freehold_index_field_t> given;
    for (const std::string_view path : paths) given.push_back({{path.data(), path.size()}, 1});
    return given;
}

// Calls `body` with the description of each index of a kind that a class itself has.
template <typename Body>
void each_index(const Context &context, std::string_view class_name, freehold_index_kind_t kind, Body &&body)
{
    const freehold_class_t number = context.find_class(class_name);
    freehold_derived_index_info_t info = {};
    info.size = sizeof info;
    for (std::uint32_t place = 0; found(freehold_class_derived_index(context.reader, number, place, &info)); place++)
        if (info.kind == kind) body(static_cast<const freehold_derived_index_info_t &>(info));
}

} // namespace detail

// Adds a full-text index over string properties; one over the same properties gets the weights. The commit builds it for
// up to 20,000 objects, and Database::build_indexes for the others. Programs that do not know such indexes can read the
// file from then on, and not write it. With a language, "english" or another one that docs/full-text.md names, a word of a
// search finds all forms of the word; that needs the library libstemmer.
inline void Transaction::add_full_text_index(std::string_view class_name, const std::vector<IndexField> &fields, std::string_view language)
{
    const std::vector<freehold_index_field_t> given = detail::fields(fields);
    const freehold_class_t number = context_.find_class(class_name);
    if (language.empty())
        detail::check(freehold_class_add_full_text_index(handle_.get(), number, given.size(), given.data()));
    else
        detail::check(freehold_class_add_full_text_index_in(handle_.get(), number, given.size(), given.data(), language.data(),
                                                            language.size()));
}

// Drops the full-text index over these properties, in any order and whatever their weights.
inline void Transaction::drop_full_text_index(std::string_view class_name, const std::vector<IndexField> &fields)
{
    const std::vector<freehold_index_field_t> given = detail::fields(fields);
    detail::check(freehold_class_drop_full_text_index(handle_.get(), context_.find_class(class_name), given.size(), given.data()));
}

// Adds an index of places: over a latitude and a longitude, or over the objects with `type` and `coordinates` that a
// to-one link leads to, or, without a property, over the class's own. It is built as full-text indexes are.
inline void Transaction::add_place_index(std::string_view class_name, const std::vector<std::string_view> &properties)
{
    const std::vector<freehold_index_field_t> given = detail::fields(properties);
    detail::check(freehold_class_add_place_index(handle_.get(), context_.find_class(class_name), given.size(), given.data()));
}

// Drops the index of places that add_place_index adds with these properties.
inline void Transaction::drop_place_index(std::string_view class_name, const std::vector<std::string_view> &properties)
{
    const std::vector<freehold_index_field_t> given = detail::fields(properties);
    detail::check(freehold_class_drop_place_index(handle_.get(), context_.find_class(class_name), given.size(), given.data()));
}

// Adds an index of the vectors in a property of type data, for queries with the same dimensions, elements and metric. It
// is built as full-text indexes are.
inline void Transaction::add_vector_index(std::string_view class_name, std::string_view property, std::size_t dimensions,
                                          freehold_vector_elements_t elements, freehold_vector_metric_t metric)
{
    const freehold_class_t number = context_.find_class(class_name);
    const freehold_property_t place = context_.find_property(number, property);
    detail::check(freehold_class_add_vector_index(handle_.get(), number, place, dimensions, elements, metric));
}

// Drops the index of vectors over a property.
inline void Transaction::drop_vector_index(std::string_view class_name, std::string_view property)
{
    const freehold_class_t number = context_.find_class(class_name);
    detail::check(freehold_class_drop_vector_index(handle_.get(), number, context_.find_property(number, property)));
}

// Adds an index of a string property in the order of a language, a BCP 47 tag, for `COLLATE`. It needs ICU, and is built
// as full-text indexes are.
inline void Transaction::add_collation_index(std::string_view class_name, std::string_view property, std::string_view language)
{
    const freehold_class_t number = context_.find_class(class_name);
    const freehold_property_t place = context_.find_property(number, property);
    detail::check(freehold_class_add_collation_index(handle_.get(), number, place, language.data(), language.size()));
}

// Drops the index of a property in the order of a language.
inline void Transaction::drop_collation_index(std::string_view class_name, std::string_view property, std::string_view language)
{
    const freehold_class_t number = context_.find_class(class_name);
    const freehold_property_t place = context_.find_property(number, property);
    detail::check(freehold_class_drop_collation_index(handle_.get(), number, place, language.data(), language.size()));
}

inline std::vector<FullTextIndex> Reader::full_text_indexes(std::string_view class_name) const
{
    std::vector<FullTextIndex> indexes;
    detail::each_index(context_, class_name, FREEHOLD_INDEX_FULL_TEXT, [&](const freehold_derived_index_info_t &info) {
        indexes.push_back({{}, info.state, info.percent, info.documents, info.words, std::string(detail::view(info.language))});
        for (std::uint32_t place = 0; place < info.field_count; place++)
            indexes.back().fields.push_back({std::string(detail::view(info.fields[place].path)), info.fields[place].weight});
    });
    return indexes;
}

inline std::vector<PlaceIndex> Reader::place_indexes(std::string_view class_name) const
{
    std::vector<PlaceIndex> indexes;
    detail::each_index(context_, class_name, FREEHOLD_INDEX_PLACES, [&](const freehold_derived_index_info_t &info) {
        indexes.push_back({{}, info.state, info.percent, info.documents});
        for (std::uint32_t place = 0; place < info.field_count; place++)
            indexes.back().properties.emplace_back(detail::view(info.fields[place].path));
    });
    return indexes;
}

inline std::vector<VectorIndex> Reader::vector_indexes(std::string_view class_name) const
{
    std::vector<VectorIndex> indexes;
    detail::each_index(context_, class_name, FREEHOLD_INDEX_VECTORS, [&](const freehold_derived_index_info_t &info) {
        indexes.push_back({std::string(detail::view(info.fields[0].path)), static_cast<std::size_t>(info.dimensions), info.elements,
                           info.metric, info.state, info.percent, info.documents});
    });
    return indexes;
}

inline std::vector<CollationIndex> Reader::collation_indexes(std::string_view class_name) const
{
    std::vector<CollationIndex> indexes;
    detail::each_index(context_, class_name, FREEHOLD_INDEX_COLLATION, [&](const freehold_derived_index_info_t &info) {
        indexes.push_back({std::string(detail::view(info.fields[0].path)), std::string(detail::view(info.language)), info.state,
                           info.percent, info.documents});
    });
    return indexes;
}

inline void Database::build_indexes() const { detail::check(freehold_database_build_indexes(handle_.get(), nullptr, nullptr)); }

template <typename Progress>
void Database::build_indexes(Progress &&progress) const
{
    struct Call {
        std::remove_reference_t<Progress> &progress;
        std::exception_ptr failure;
    } call{progress, nullptr};
    const freehold_index_progress_callback_t note = [](void *context, std::uint64_t done, std::uint64_t total) -> bool {
        Call &call = *static_cast<Call *>(context);
        try {
            return call.progress(done, total);
        } catch (...) {
            call.failure = std::current_exception();
            return false;
        }
    };
    const freehold_error_code_t code = freehold_database_build_indexes(handle_.get(), note, &call);
    if (call.failure) std::rethrow_exception(call.failure);
    detail::check(code);
}

} // namespace freehold

#endif
