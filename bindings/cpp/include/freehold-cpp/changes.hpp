// Differences between two versions: of a class's objects, and of the elements of a list, set or map.
//
//     const freehold::Snapshot before = database.read();
//     ...
//     const freehold::Snapshot now = database.read();
//     for (const freehold::ObjectChange &change : now.changes_since(before, "Person"))
//         if (change.kind == FREEHOLD_CHANGE_CHANGED) show(change.key, change.properties);
//
//     const freehold::Collection tags = now.find("Person", 1)->collection("tags");
//     for (const std::uint64_t place : tags.changes_since(*tags.another(before)).insertions) show(tags.at<std::string>(place));
#ifndef FREEHOLD_CPP_CHANGES_HPP
#define FREEHOLD_CPP_CHANGES_HPP

#include "reader.hpp"
#include "single_pass.hpp"

namespace freehold {

// An object that differs between two versions.
struct ObjectChange {
    Key key = 0;
    // FREEHOLD_CHANGE_INSERTED, _DELETED, _CHANGED or _REPLACED.
    freehold_change_kind_t kind = 0;
    // For FREEHOLD_CHANGE_CHANGED: the names of the properties whose values differ; valid as long as the newer
    // version is held.
    std::vector<std::string_view> properties;
};

// A single-pass range over the objects that differ, in the order of their keys. Objects are found as they are read;
// both versions must be held meanwhile.
class Changes {
public:
    // The next object, or an empty optional at the end.
    std::optional<ObjectChange> next()
    {
        freehold_object_change_t change = {};
        change.size = sizeof change;
        if (!detail::found(freehold_changes_next(handle_.get(), &change))) return std::nullopt;
        ObjectChange made{change.key, change.kind, {}};
        for (std::uint32_t place = 0; place < change.property_count; place++)
            made.properties.push_back(context_.property_name(class_, change.properties[place]));
        return made;
    }

    using Iterator = detail::SinglePassIterator<Changes, ObjectChange>;
    Iterator begin() { return Iterator(this); }
    Iterator end() { return Iterator(); }

private:
    friend class Reader;
    explicit Changes(const detail::Context &newer) : context_(newer) {}

    detail::Context context_;
    freehold_class_t class_ = FREEHOLD_NONE;
    detail::Owned<freehold_changes_t, freehold_changes_close> handle_;
};

// The differences between two versions of a list, set or map. They turn the older version into the newer one when
// applied in this order: deletions from last to first, insertions from first to last, then the elements at
// `modified` read again. Positions ascend; a map reports keys instead.
struct CollectionChanges {
    // `deletions` are positions in the older version, `insertions` in the newer one.
    std::vector<std::uint64_t> deletions, insertions;
    // For a list: elements that were replaced, and collections that changed; `modifications` are positions in the
    // older version, `modified` in the newer one.
    std::vector<std::uint64_t> modifications, modified;
    // For a map: the keys deleted, the keys inserted, and the keys whose values changed.
    std::vector<std::string> deleted_keys, inserted_keys, modified_keys;

    bool empty() const
    {
        return deletions.empty() && insertions.empty() && modified.empty() && deleted_keys.empty() && inserted_keys.empty() && modified_keys.empty();
    }
};

namespace detail {

inline std::vector<std::uint64_t> kept(freehold_positions_t positions)
{
    return {positions.positions, positions.positions + positions.count};
}

inline std::vector<std::string> kept(freehold_texts_t texts)
{
    std::vector<std::string> kept;
    for (std::size_t place = 0; place < texts.count; place++) kept.emplace_back(view(texts.texts[place]));
    return kept;
}

} // namespace detail

inline CollectionChanges Collection::changes_since(const Collection &older) const
{
    freehold_collection_changes_t told = {};
    told.size = sizeof told;
    detail::check(freehold_collection_changes(older.handle_.get(), handle_.get(), &told));
    return {detail::kept(told.deletions), detail::kept(told.insertions), detail::kept(told.modifications), detail::kept(told.modified),
            detail::kept(told.deleted_keys), detail::kept(told.inserted_keys), detail::kept(told.modified_keys)};
}

inline Changes Reader::changes_since(const Reader &older, std::string_view class_name) const
{
    Changes changes(context_);
    detail::check(freehold_changes_between(
        older.context_.reader, context_.reader, class_name.data(), class_name.size(), changes.handle_.place()));
    if (has_class(class_name)) changes.class_ = context_.find_class(class_name);
    return changes;
}

} // namespace freehold

#endif
