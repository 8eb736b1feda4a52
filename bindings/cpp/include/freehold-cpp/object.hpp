// Objects, and the lists, sets and maps they have.
//
//     freehold::Object ada = *transaction.find("Person", 1);
//     ada.set({{"age", ada.get<int>("age") + 1}, {"boss", transaction.create("Person", {{"id", 2}})}});
//     if (const std::optional<freehold::Object> boss = ada.link("boss")) std::cout << boss->get<std::string_view>("name") << '\n';
//     freehold::Collection tags = ada.collection("tags");
//     tags.append("new");
//     for (std::uint64_t place = 0; place < tags.size(); place++) std::cout << tags.at<std::string_view>(place) << '\n';
#ifndef FREEHOLD_CPP_OBJECT_HPP
#define FREEHOLD_CPP_OBJECT_HPP

#include "value.hpp"

namespace freehold {

class LargeValue;
class Object;
class Reader;
struct CollectionChanges;

namespace detail {

// The reader of objects: a snapshot's, or a transaction's, which can also change them.
struct Context {
    const freehold_reader_t *reader = nullptr;
    freehold_transaction_t *transaction = nullptr;

    freehold_class_t find_class(std::string_view name) const
    {
        freehold_class_t number = FREEHOLD_NONE;
        if (!found(freehold_class_find(reader, name.data(), name.size(), &number)))
            throw Error(FREEHOLD_ERROR_UNKNOWN_CLASS, "there is no class '" + std::string(name) + "'", "", 0);
        return number;
    }

    freehold_property_t find_property(freehold_class_t object_class, std::string_view name) const
    {
        freehold_property_t number = FREEHOLD_NONE;
        if (!found(freehold_property_find(reader, object_class, name.data(), name.size(), &number)))
            throw Error(FREEHOLD_ERROR_UNKNOWN_PROPERTY, "there is no property '" + std::string(name) + "'", "", 0);
        return number;
    }

    std::string_view property_name(freehold_class_t object_class, freehold_property_t property) const
    {
        freehold_property_info_t info = {};
        info.size = sizeof info;
        check(freehold_property_info(reader, object_class, property, &info));
        return view(info.name);
    }

    freehold_transaction_t *writing() const
    {
        if (transaction) return transaction;
        throw Error(FREEHOLD_ERROR_NOT_IN_WRITE, "this was read through a snapshot; to change it, read it through a transaction", "", 0);
    }
};

// Properties and their values, as the C functions take them.
struct Arguments {
    std::vector<freehold_property_t> properties;
    std::vector<freehold_value_t> values;

    template <typename Members>
    Arguments(const Context &context, freehold_class_t object_class, const Members &members)
    {
        for (const Member &member : members) {
            properties.push_back(context.find_property(object_class, member.name));
            values.push_back(member.value.get());
        }
    }
};

// A callback for text output, which appends to the std::string passed as its context.
inline bool add_text(void *text, const char *bytes, std::size_t length) noexcept
{
    try {
        static_cast<std::string *>(text)->append(bytes, length);
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace detail

// A list, set or map of an object, element by element. Whole collections are read and set as vectors, sets and maps.
class Collection {
public:
    std::uint64_t size() const
    {
        std::uint64_t count = 0;
        detail::check(freehold_collection_count(handle_.get(), &count));
        return count;
    }

    // The element at a position; in a map, by the order of its keys. A std::string_view is valid until the next
    // element is read, or this Collection ends.
    template <typename Result>
    Result at(std::uint64_t position) const { return detail::from<Result>(element(position)); }
    Object object(std::uint64_t position) const;

    // The key at a position of a map.
    std::string key(std::uint64_t position) const
    {
        freehold_text_t text = {nullptr, 0};
        std::size_t filled = 0;
        detail::check(freehold_collection_get(handle_.get(), position, 1, &text, nullptr, &filled));
        if (filled == 0) missing(position);
        return std::string(detail::view(text));
    }

    // The first position of a value, or the position of a map's key.
    std::optional<std::uint64_t> find(const Value &value) const
    {
        std::uint64_t position = 0;
        if (!detail::found(freehold_collection_find(handle_.get(), &value.get(), &position))) return std::nullopt;
        return position;
    }

    // The collection at a position of a list, or under the key of a map.
    Collection inner(const Value &at) const
    {
        Collection made(context_);
        detail::check(freehold_collection_inner(handle_.get(), &at.get(), made.handle_.place()));
        return made;
    }

    // Changes a list.
    void append(const Value &value) { insert(FREEHOLD_LAST, value); }
    void insert(std::uint64_t position, const Value &value) { detail::check(freehold_list_insert(handle_.get(), position, 1, &value.get())); }
    void set(std::uint64_t position, const Value &value) { detail::check(freehold_list_set(handle_.get(), position, &value.get())); }
    void remove(std::uint64_t position, std::uint64_t count = 1) { detail::check(freehold_list_remove(handle_.get(), position, count)); }
    void move(std::uint64_t position, std::uint64_t target) { detail::check(freehold_list_move(handle_.get(), position, target)); }

    void swap(std::uint64_t one, std::uint64_t other) { detail::check(freehold_list_swap(handle_.get(), one, other)); }

    // Changes a set.
    void add(const Value &value) { detail::check(freehold_set_insert(handle_.get(), 1, &value.get())); }
    void discard(const Value &value) { detail::check(freehold_set_remove(handle_.get(), 1, &value.get())); }

    // Changes a map.
    void put(std::string_view key, const Value &value) { detail::check(freehold_map_set(handle_.get(), key.data(), key.size(), &value.get())); }
    // Removes a key from a map; returns false if the map does not have the key.
    bool erase(std::string_view key) { return detail::found(freehold_map_remove(handle_.get(), key.data(), key.size())); }

    void clear() { detail::check(freehold_collection_clear(handle_.get())); }

    // The kind of the collection: FREEHOLD_TYPE_LIST, _SET or _MAP.
    freehold_type_t kind() const
    {
        freehold_type_t kind = FREEHOLD_TYPE_NULL;
        detail::check(freehold_collection_kind(handle_.get(), &kind));
        return kind;
    }

    // Creates an object of an embedded class in a list, before a position or at its end, or in a map under a key,
    // where it replaces the present object.
    Object embed(std::string_view class_name, std::initializer_list<Member> members = {}, const Value &at = nullptr);

    // Carries the collection over to another reader; empty if that reader does not have the object. See
    // handing_over.hpp.
    std::optional<Collection> another(const Reader &reader) const;

    // The differences between an older version of the same collection and this one; see changes.hpp.
    CollectionChanges changes_since(const Collection &older) const;

private:
    friend class Object;
    friend class Watch;
    explicit Collection(const detail::Context &context) : context_(context) {}

    freehold_value_t element(std::uint64_t position) const
    {
        freehold_value_t value = freehold_null();
        std::size_t filled = 0;
        detail::check(freehold_collection_get(handle_.get(), position, 1, nullptr, &value, &filled));
        if (filled == 0) missing(position);
        return value;
    }

    [[noreturn]] static void missing(std::uint64_t position)
    {
        throw Error(FREEHOLD_ERROR_INVALID_ARGUMENT, "there is no element " + std::to_string(position), "", 0);
    }

    detail::Context context_;
    detail::Owned<freehold_collection_t, freehold_collection_close> handle_;
};

// An object of a class: a place in the file, not its values. Valid as long as the snapshot or transaction it was
// read through.
class Object {
public:
    Object(const detail::Context &context, freehold_class_t object_class, Key key) : context_(context), class_(object_class), key_(key) {}

    Key key() const { return key_; }
    freehold_class_t class_number() const { return class_; }
    operator Value() const { return Value(Link{key_, class_}); }

    bool exists() const { return detail::found(freehold_object_exists(context_.reader, class_, key_)); }

    // The value of a property; throws FREEHOLD_ERROR_OBJECT_DELETED once the object is deleted. Use a std::optional
    // for a property that may be null, and a std::vector, std::set or std::map for a collection.
    template <typename Result>
    Result get(std::string_view name) const { return detail::from<Result>(value(name)); }

    // The target of a link; empty if there is none.
    std::optional<Object> link(std::string_view name) const
    {
        const auto link = get<std::optional<Link>>(name);
        if (!link) return std::nullopt;
        return Object(context_, link->object_class, link->key);
    }

    // The backlinks of this object: the objects of a class that link to it through a property, by ascending key.
    std::vector<Object> backlinks(std::string_view class_name, std::string_view property) const;

    // Creates an object of an embedded class as the target of a link property, in place of the present target.
    //
    //     house.embed("kitchen", "Room", {{"size", 12}});
    Object embed(std::string_view name, std::string_view class_name, std::initializer_list<Member> members = {})
    {
        const freehold_class_t number = context_.find_class(class_name);
        const detail::Arguments given(context_, number, members);
        Key key = 0;
        if (!detail::found(freehold_object_embed(context_.writing(), class_, key_, context_.find_property(class_, name), number,
                                                 given.values.size(), given.properties.data(), given.values.data(), &key))) gone();
        return Object(context_, number, key);
    }

    // The name of the object's own class: the class it was found by, or a subclass of it.
    std::string class_name() const
    {
        freehold_class_t own = class_;
        if (!detail::found(freehold_object_class(context_.reader, class_, key_, &own))) gone();
        freehold_class_info_t info = {};
        info.size = sizeof info;
        detail::check(freehold_class_info(context_.reader, own, &info));
        return std::string(detail::view(info.name));
    }

    // Opens a list, set or map, to be read or changed element by element.
    Collection collection(std::string_view name) const
    {
        Collection made(context_);
        if (!detail::found(freehold_collection_open(
                context_.reader, class_, key_, context_.find_property(class_, name), made.handle_.place()))) gone();
        return made;
    }

    void set(std::string_view name, const Value &value)
    {
        const freehold_property_t property = context_.find_property(class_, name);
        if (!detail::found(freehold_object_set(context_.writing(), class_, key_, 1, &property, &value.get()))) gone();
    }

    // Sets several properties at once, all or none.
    void set(std::initializer_list<Member> members)
    {
        const detail::Arguments given(context_, class_, members);
        if (!detail::found(freehold_object_set(
                context_.writing(), class_, key_, given.values.size(), given.properties.data(), given.values.data()))) gone();
    }

    // Sets a string or data property to a finished value; see large_value.hpp.
    void set(std::string_view name, const LargeValue &value);

    // Access to parts of a string or data property of any length. `length` is its number of bytes. `read_part` reads
    // up to `capacity` bytes from an offset on, and returns how many were read. `write_part` overwrites bytes and
    // extends the value past its end; the offset FREEHOLD_AT_END appends. `truncate` removes the bytes after the
    // first `length`. The bytes written are not copied: pass a std::string if they come from the same transaction.
    std::uint64_t length(std::string_view name) const;
    std::size_t read_part(std::string_view name, std::uint64_t offset, void *bytes, std::size_t capacity) const;
    void write_part(std::string_view name, std::uint64_t offset, Bytes bytes);
    void write_part(std::string_view name, std::uint64_t offset, std::string_view text);
    void truncate(std::string_view name, std::uint64_t length);

    // Adds to an integer property, and returns the sum. For a counter of a synced class the server adds up the increments
    // of all devices.
    std::int64_t increment(std::string_view name, std::int64_t amount = 1)
    {
        std::int64_t sum = 0;
        if (!detail::found(freehold_object_increment(
                context_.writing(), class_, key_, context_.find_property(class_, name), amount, &sum))) gone();
        return sum;
    }

    void remove() { if (!detail::found(freehold_object_delete(context_.writing(), class_, key_))) gone(); }

    // The object as JSON, in the form of `freehold export`.
    std::string json() const
    {
        std::string text;
        if (!detail::found(freehold_json_object(context_.reader, class_, key_, detail::add_text, &text))) gone();
        return text;
    }

    // Carries the object over to another reader; empty if that reader does not have it. See handing_over.hpp.
    std::optional<Object> another(const Reader &reader) const;

    // A copy as a struct; see mapping.hpp.
    template <typename Struct>
    Struct load() const;

    friend bool operator==(const Object &one, const Object &other) { return one.key_ == other.key_ && one.class_ == other.class_; }
    friend bool operator!=(const Object &one, const Object &other) { return !(one == other); }

private:
    freehold_value_t value(std::string_view name) const
    {
        freehold_value_t value = freehold_null();
        const freehold_property_t property = context_.find_property(class_, name);
        if (!detail::found(freehold_object_get(context_.reader, class_, key_, 1, &property, &value))) gone();
        return value;
    }

    [[noreturn]] void gone() const
    {
        throw Error(FREEHOLD_ERROR_OBJECT_DELETED, "object " + std::to_string(key_) + " was deleted", "", 0);
    }

    detail::Context context_;
    freehold_class_t class_;
    Key key_;
};

inline Object Collection::object(std::uint64_t position) const
{
    const Link link = at<Link>(position);
    return Object(context_, link.object_class, link.key);
}

inline Object Collection::embed(std::string_view class_name, std::initializer_list<Member> members, const Value &at)
{
    const freehold_class_t number = context_.find_class(class_name);
    const detail::Arguments given(context_, number, members);
    Key key = 0;
    detail::check(freehold_collection_embed(handle_.get(), at.get().type == FREEHOLD_TYPE_NULL ? nullptr : &at.get(), number,
                                            given.values.size(), given.properties.data(), given.values.data(), &key));
    return Object(context_, number, key);
}

} // namespace freehold

#endif
