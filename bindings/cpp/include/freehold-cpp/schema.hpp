// Classes and their properties, as definitions to create and as descriptions of those that exist.
#ifndef FREEHOLD_CPP_SCHEMA_HPP
#define FREEHOLD_CPP_SCHEMA_HPP

#include "error.hpp"

namespace freehold {

// A property of a class.
//
//     {"id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY}, {"dogs", FREEHOLD_TYPE_LINK, 0, "Dog", {FREEHOLD_TYPE_LIST}}
struct PropertyDefinition {
    std::string_view name;
    freehold_type_t type;
    // Flags: FREEHOLD_PROPERTY_…
    std::uint32_t flags = 0;
    // The class that a link leads to.
    std::string_view target = {};
    // The kinds of the nested collections, the outermost first: FREEHOLD_TYPE_LIST, _SET, _MAP.
    std::vector<freehold_type_t> collections = {};
    // What deleting an object does to the objects it links to.
    freehold_delete_rule_t delete_rule = FREEHOLD_DELETE_NULLIFY;
};

// A class. freehold::definition<Struct>() creates one from a mapped struct.
struct ClassDefinition {
    std::string_view name;
    std::vector<PropertyDefinition> properties = {};
    // The class it extends, whose properties its objects also have; or empty.
    std::string_view superclass = {};
    // Its objects live within others, and are deleted with them.
    bool embedded = false;
    // Whether it is synced, and the effect of a change to an object that another device deletes: FREEHOLD_SYNC_…
    freehold_sync_t sync = FREEHOLD_SYNC_NONE;
};

// An index over several properties.
struct IndexDefinition {
    std::vector<std::string_view> properties;
    bool unique = false;
};

// A property that a full-text index is over: of the class, or of the object that a to-one link leads to, as in
// `author.name`. The weight, from 1/256 to 255, is how much it counts in scores.
struct IndexField {
    std::string path;
    double weight = 1;

    IndexField(const char *path, double weight = 1) : path(path), weight(weight) {}
    IndexField(std::string path, double weight = 1) : path(std::move(path)), weight(weight) {}
};

// A full-text index, as one version of the file has it. The state is FREEHOLD_INDEX_COMPLETE, _BUILDING, _OLDER or _NEWER.
struct FullTextIndex {
    std::vector<IndexField> fields;
    freehold_index_state_t state = FREEHOLD_INDEX_COMPLETE;
    // Percent of the objects that it has, and how many these are. The objects created last, at most 255, are in no
    // index; queries read them directly.
    std::uint32_t percent = 0;
    std::uint64_t documents = 0;
    // The number of words in all its fields.
    std::uint64_t words = 0;
    // Empty for words as they are.
    std::string language;
};

// An index of vectors, as one version of the file has it: FREEHOLD_VECTOR_FLOAT32, _FLOAT16 or _INT8, and
// FREEHOLD_VECTOR_COSINE, _DOT or _EUCLIDEAN.
struct VectorIndex {
    std::string property;
    std::size_t dimensions = 0;
    freehold_vector_elements_t elements = FREEHOLD_VECTOR_FLOAT32;
    freehold_vector_metric_t metric = FREEHOLD_VECTOR_COSINE;
    freehold_index_state_t state = FREEHOLD_INDEX_COMPLETE;
    std::uint32_t percent = 0;
    std::uint64_t documents = 0;
};

// An index in the order of a language, a BCP 47 tag, as one version of the file has it.
struct CollationIndex {
    std::string property;
    std::string language;
    freehold_index_state_t state = FREEHOLD_INDEX_COMPLETE;
    std::uint32_t percent = 0;
    std::uint64_t documents = 0;
};

// An index of places, as one version of the file has it.
struct PlaceIndex {
    // A latitude and a longitude, or `type` and `coordinates`, as in `location.type`.
    std::vector<std::string> properties;
    freehold_index_state_t state = FREEHOLD_INDEX_COMPLETE;
    std::uint32_t percent = 0;
    std::uint64_t documents = 0;
};

namespace detail {

inline freehold_property_info_t info(const PropertyDefinition &property)
{
    freehold_property_info_t info = {};
    info.size = sizeof info;
    info.name = text(property.name);
    info.type = property.type;
    info.flags = property.flags;
    info.link_target = text(property.target);
    info.delete_rule = property.delete_rule;
    if (property.collections.size() > FREEHOLD_COLLECTION_DEPTH)
        throw Error(FREEHOLD_ERROR_INVALID_ARGUMENT, "too many nested collections", "", 0);
    // Loops over the whole array, as compilers that don't see the vector's length warn of writing past the end.
    for (std::size_t place = 0; place < FREEHOLD_COLLECTION_DEPTH; place++)
        info.collections[place] = place < property.collections.size() ? static_cast<std::uint8_t>(property.collections[place]) : 0;
    return info;
}

inline PropertyDefinition described(const freehold_property_info_t &info)
{
    PropertyDefinition property{view(info.name), info.type, info.flags, view(info.link_target), {}, info.delete_rule};
    for (const std::uint8_t kind : info.collections)
        if (kind != 0) property.collections.push_back(kind);
    return property;
}

inline std::vector<freehold_property_info_t> infos(const std::vector<PropertyDefinition> &properties)
{
    std::vector<freehold_property_info_t> infos;
    for (const PropertyDefinition &property : properties) infos.push_back(info(property));
    return infos;
}

// Definitions as the C functions take them.
class Definitions {
public:
    explicit Definitions(const std::vector<ClassDefinition> &classes)
    {
        for (const ClassDefinition &one : classes) {
            properties_.push_back(infos(one.properties));
            freehold_class_definition_t made = {};
            made.size = sizeof made;
            made.name = text(one.name);
            made.superclass = text(one.superclass);
            made.property_count = properties_.back().size();
            made.properties = properties_.back().data();
            made.embedded = one.embedded;
            made.sync = one.sync;
            classes_.push_back(made);
        }
    }
    Definitions(const Definitions &) = delete;
    Definitions &operator=(const Definitions &) = delete;

    std::size_t count() const { return classes_.size(); }
    const freehold_class_definition_t *get() const { return classes_.data(); }

private:
    // Moving these containers leaves their elements in place.
    std::vector<std::vector<freehold_property_info_t>> properties_;
    std::vector<freehold_class_definition_t> classes_;
};

} // namespace detail
} // namespace freehold

#endif
