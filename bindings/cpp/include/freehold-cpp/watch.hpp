// Watches: queries, groups, collections, objects and whole databases that are observed from version to version, for
// commits of every process.
//
//     freehold::Watch watch = database.watch();
//     const freehold_answer_t adults = watch.query("Person", "age >= %@ SORT(name ASC)", 18);
//     while (running) watch.deliver(std::chrono::seconds(1), [&](const freehold::Delivery &delivery) {
//         for (const std::uint64_t place : delivery.insertions()) show(watch.keys(delivery.answer(), place, 1));
//     });
//
// In an event loop poll watch.descriptor() for reading, and call watch.deliver(body) whenever it is readable. The
// descriptor may be readable without changes.
#ifndef FREEHOLD_CPP_WATCH_HPP
#define FREEHOLD_CPP_WATCH_HPP

#include "changes.hpp"

#include <cerrno>
#include <exception>
#include <poll.h>

namespace freehold {

// Ascending positions; valid within the callback that receives them.
class Positions {
public:
    explicit Positions(freehold_positions_t positions) : positions_(positions) {}

    std::size_t size() const { return positions_.count; }
    bool empty() const { return positions_.count == 0; }
    const std::uint64_t *begin() const { return positions_.positions; }
    const std::uint64_t *end() const { return positions_.positions + positions_.count; }
    std::uint64_t operator[](std::size_t place) const { return positions_.positions[place]; }

private:
    freehold_positions_t positions_;
};

// A version that can be read within the callback that receives it.
class Moment : public Reader {
private:
    friend class Delivery;
    explicit Moment(const freehold_reader_t *reader) { context_.reader = reader; }
};

// The changes of one answer; valid within the callback that receives it. An element that moved relative to the
// others is deleted and inserted. The changes turn the old answer into the new one when applied in this order:
// deletions from last to first, insertions from first to last, then the elements at `modified` read again.
class Delivery {
public:
    // The answer's number, as returned by Watch::query, collection, object or database.
    freehold_answer_t answer() const { return delivery_.answer; }
    // FREEHOLD_OK, or the reason why the answer is not observed any more: the newer version lacks something that it
    // needs.
    freehold_error_code_t code() const { return delivery_.code; }
    // For a collection: its object was deleted, and all elements with it. For an object: it was deleted.
    bool gone() const { return delivery_.gone; }

    // Positions in the old answer.
    Positions deletions() const { return Positions(delivery_.deletions); }
    // Positions in the new answer.
    Positions insertions() const { return Positions(delivery_.insertions); }
    // For elements that stayed and changed: positions in the old answer, and in the new one.
    Positions modifications() const { return Positions(delivery_.modifications); }
    Positions modified() const { return Positions(delivery_.modified); }

    // For an object: the names of the properties whose values differ.
    std::vector<std::string_view> properties() const { return views(delivery_.properties); }
    // For a map: the keys deleted, the keys inserted, and the keys whose values changed.
    std::vector<std::string_view> deleted_keys() const { return views(delivery_.deleted_keys); }
    std::vector<std::string_view> inserted_keys() const { return views(delivery_.inserted_keys); }
    std::vector<std::string_view> modified_keys() const { return views(delivery_.modified_keys); }
    // For the database: the names of the classes whose objects or properties changed, and of those created and
    // dropped; after().changes_since lists the changes of their objects. If the older version was taken away, all
    // classes.
    std::vector<std::string_view> classes() const { return views(delivery_.classes); }

    // The older version; empty if it was taken away while the watch slept.
    std::optional<Moment> before() const
    {
        if (!delivery_.before) return std::nullopt;
        return Moment(delivery_.before);
    }
    // The newer version.
    Moment after() const { return Moment(delivery_.after); }

private:
    friend class Watch;
    explicit Delivery(const freehold_delivery_t &delivery) : delivery_(delivery) {}

    static std::vector<std::string_view> views(freehold_texts_t texts)
    {
        std::vector<std::string_view> views;
        for (std::size_t place = 0; place < texts.count; place++) views.push_back(detail::view(texts.texts[place]));
        return views;
    }

    freehold_delivery_t delivery_;
};

// Names of properties joined by points, as in a query: "name", "boss.name", "dogs.age".
using KeyPaths = std::vector<std::string_view>;

namespace detail {

// Key paths as the C functions take them. NULL would observe everything, so get() is never NULL.
class Paths {
public:
    explicit Paths(const KeyPaths &paths) : texts_(texts(paths)), count_(paths.size()) { texts_.emplace_back(); }

    std::size_t count() const { return count_; }
    const freehold_text_t *get() const { return texts_.data(); }

private:
    // One element more than there are paths.
    std::vector<freehold_text_t> texts_;
    std::size_t count_;
};

} // namespace detail

// Observes any number of answers together. While it sleeps it keeps no more of the file than a limit allows.
class Watch {
public:
    // The descriptor for event loops, readable when there may be something to deliver: neither read from it nor
    // close it.
    int descriptor() const { return freehold_watch_descriptor(handle_.get()); }

    // The version that the watch's answers show.
    freehold_version_t version() const
    {
        freehold_version_t version = 0;
        detail::check(freehold_watch_version(handle_.get(), &version));
        return version;
    }

    // Observes a query, or, if it ends with GROUP(…) SELECT(…), its groups; the arguments stand for %@ one after the
    // other.
    template <typename... Arguments>
    freehold_answer_t query(std::string_view class_name, std::string_view text, const Arguments &...arguments)
    {
        const auto given = detail::positional(arguments...);
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_query(handle_.get(), class_name.data(), class_name.size(), text.data(), text.size(),
                                           given.count(), given.values(), &answer));
        return answer;
    }

    // Observes a query, where an object counts as modified only if one of these paths leads to a different value
    // than before. Without paths, objects are not compared: only insertions, deletions and moves are reported.
    // `query` compares all of an object, and the objects it links to, four links deep.
    //
    //     watch.query_observing({"name", "boss.name"}, "Person", "age >= %@", 18);
    template <typename... Arguments>
    freehold_answer_t query_observing(
        const KeyPaths &paths, std::string_view class_name, std::string_view text, const Arguments &...arguments)
    {
        const auto given = detail::positional(arguments...);
        const std::vector<freehold_text_t> texts = detail::texts(paths);
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_query_observing(handle_.get(), class_name.data(), class_name.size(), text.data(), text.size(),
                                                     given.count(), given.values(), texts.size(), texts.data(), &answer));
        return answer;
    }

    // Observes a list, set or map of an object.
    freehold_answer_t collection(std::string_view class_name, Key key, std::string_view property)
    {
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_collection(
            handle_.get(), class_name.data(), class_name.size(), key, property.data(), property.size(), &answer));
        return answer;
    }

    // Observes a collection, where an element counts as modified only if it is replaced, or if one of these paths
    // from the object that it links to leads to a different value than before.
    freehold_answer_t collection_observing(const KeyPaths &paths, std::string_view class_name, Key key, std::string_view property)
    {
        const std::vector<freehold_text_t> texts = detail::texts(paths);
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_collection_observing(handle_.get(), class_name.data(), class_name.size(), key, property.data(),
                                                          property.size(), texts.size(), texts.data(), &answer));
        return answer;
    }

    // Observes the collection of a handle, read through any snapshot or transaction of the database, also one within
    // another collection, or in a mixed property. The collection's place is observed, independently of the handle.
    //
    //     const freehold_answer_t row = watch.collection(snapshot.find("Sheet", 1)->collection("rows").inner(2));
    freehold_answer_t collection(const Collection &collection)
    {
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_place(handle_.get(), collection.handle_.get(), 0, nullptr, &answer));
        return answer;
    }

    freehold_answer_t collection_observing(const KeyPaths &paths, const Collection &collection)
    {
        const detail::Paths given(paths);
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_place(handle_.get(), collection.handle_.get(), given.count(), given.get(), &answer));
        return answer;
    }

    // Observes a query over the objects that a collection links to. The answer has the collection's order and its
    // duplicates, unless the query sorts; it is empty once the collection's object is deleted.
    //
    //     watch.query_among(ada.collection("dogs"), "age >= %@", 3);
    template <typename... Arguments>
    freehold_answer_t query_among(const Collection &collection, std::string_view text, const Arguments &...arguments)
    {
        const auto given = detail::positional(arguments...);
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_query_among(handle_.get(), collection.handle_.get(), text.data(), text.size(), given.count(),
                                                 given.values(), 0, nullptr, &answer));
        return answer;
    }

    // Observes a query over a collection's objects, with paths as in query_observing.
    template <typename... Arguments>
    freehold_answer_t query_among_observing(
        const KeyPaths &paths, const Collection &collection, std::string_view text, const Arguments &...arguments)
    {
        const auto given = detail::positional(arguments...);
        const detail::Paths observed(paths);
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_query_among(handle_.get(), collection.handle_.get(), text.data(), text.size(), given.count(),
                                                 given.values(), observed.count(), observed.get(), &answer));
        return answer;
    }

    // Observes an object: which of its properties change, and whether it is deleted.
    freehold_answer_t object(std::string_view class_name, Key key)
    {
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_object(handle_.get(), class_name.data(), class_name.size(), key, &answer));
        return answer;
    }

    // Observes the whole database: every newer version is reported, with the classes in which something changed.
    freehold_answer_t database()
    {
        freehold_answer_t answer = 0;
        detail::check(freehold_watch_database(handle_.get(), &answer));
        return answer;
    }

    // The number of objects, groups or elements of an answer; for an object 1, or 0 if it was deleted.
    std::uint64_t count(freehold_answer_t answer) const
    {
        std::uint64_t count = 0;
        detail::check(freehold_watch_count(handle_.get(), answer, &count));
        return count;
    }

    // The keys of a query's objects from a position on: `count` of them, or as many as there are.
    std::vector<Key> keys(freehold_answer_t answer, std::uint64_t first = 0, std::uint64_t count = UINT64_MAX) const
    {
        const std::uint64_t all = this->count(answer), left = first < all ? all - first : 0;
        std::vector<Key> keys(static_cast<std::size_t>(count < left ? count : left));
        std::size_t filled = 0;
        detail::check(freehold_watch_keys(handle_.get(), answer, first, keys.size(), keys.data(), &filled));
        keys.resize(filled);
        return keys;
    }

    // Stops observing an answer.
    void stop(freehold_answer_t answer) { detail::check(freehold_watch_stop(handle_.get(), answer)); }

    // Updates every answer to the newest version, and calls `body(const Delivery &)` for each that changed; returns
    // whether there was a newer version. `body` may observe more and stop observing, but not deliver. If it throws,
    // the other changes are delivered nevertheless; then the first exception is thrown.
    template <typename Body>
    bool deliver(Body &&body)
    {
        struct Call {
            std::remove_reference_t<Body> &body;
            std::exception_ptr failure;
        } call{body, nullptr};
        const freehold_delivery_callback_t tell = [](void *context, const freehold_delivery_t *delivery) {
            Call &call = *static_cast<Call *>(context);
            try {
                call.body(Delivery(*delivery));
            } catch (...) {
                if (!call.failure) call.failure = std::current_exception();
            }
        };
        bool moved = false;
        const freehold_error_code_t code = freehold_watch_deliver(handle_.get(), tell, &call, &moved);
        if (call.failure) std::rethrow_exception(call.failure);
        detail::check(code);
        return moved;
    }

    // Waits for a newer version and delivers it; returns false when the time is up.
    template <typename Body>
    bool deliver(std::chrono::milliseconds timeout, Body &&body)
    {
        const auto end = std::chrono::steady_clock::now() + timeout;
        while (!deliver(body)) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
            if (left <= 0) return false;
            pollfd entry{descriptor(), POLLIN, 0};
            if (poll(&entry, 1, static_cast<int>(left < INT32_MAX ? left : INT32_MAX)) < 0 && errno != EINTR)
                throw Error(FREEHOLD_ERROR_IO, "waiting for the watch failed", "", errno);
        }
        return true;
    }

private:
    friend class Database;
    Watch() = default;
    detail::Owned<freehold_watch_t, freehold_watch_close> handle_;
};

} // namespace freehold

#endif
