// The handles of the C interface as C++ holds them, and the class of the data set.
#pragma once
#include "../rivals/workloads.hpp"
#include <freehold.h>

namespace bench {

inline void ok(freehold_error_code_t code, const char* what)
{
    if (code != FREEHOLD_OK) {
        freehold_error_t error = {};
        error.size = sizeof error;
        freehold_last_error(&error);
        die("freehold: %s: %d %s", what, code, error.message ? error.message : "");
    }
}

enum Property : freehold_property_t { ID, AGE, SCORE, ACTIVE, CITY, NAME, CREATED, PROPERTIES };

struct Db {
    freehold_database_t* h;
    explicit Db(const std::string& path) { ok(freehold_database_open(path.c_str(), path.size(), nullptr, &h), "open"); }
    Db(const Db&) = delete;
    ~Db() { ok(freehold_database_close(h), "close"); }
};

inline freehold_class_t find_class(const freehold_reader_t* reader, const char* name)
{
    freehold_class_t found;
    ok(freehold_class_find(reader, name, FREEHOLD_TERMINATED, &found), "class");
    return found;
}

struct Snapshot {
    freehold_snapshot_t* h;
    const freehold_reader_t* reader;
    explicit Snapshot(Db& db)
    {
        ok(freehold_snapshot_begin(db.h, &h), "snapshot");
        reader = freehold_snapshot_reader(h);
    }
    Snapshot(const Snapshot&) = delete;
    ~Snapshot() { ok(freehold_snapshot_end(h), "end"); }
    freehold_class_t find(const char* name) const { return find_class(reader, name); }
    uint64_t count(freehold_class_t of) const
    {
        uint64_t count;
        ok(freehold_object_count(reader, of, &count), "count");
        return count;
    }
};

struct Transaction {
    freehold_transaction_t* h;
    const freehold_reader_t* reader;
    explicit Transaction(Db& db)
    {
        ok(freehold_transaction_begin(db.h, FREEHOLD_DEFAULT_TIMEOUT, &h), "begin");
        reader = freehold_transaction_reader(h);
    }
    freehold_class_t find(const char* name) const { return find_class(reader, name); }
    void commit(freehold_durability_t durability = FREEHOLD_DURABILITY_FULL)
    {
        ok(freehold_transaction_commit(h, durability, nullptr), "commit");
    }
};

struct Query {
    freehold_query_t* h;
    Query(const freehold_reader_t* reader, freehold_class_t of, const char* text)
    {
        ok(freehold_query_prepare(reader, of, text, FREEHOLD_TERMINATED, 0, nullptr, 0, nullptr, &h), "query");
    }
    Query(const Query&) = delete;
    ~Query() { freehold_query_close(h); }
};

inline freehold_property_info_t property(const char* name, freehold_type_t type, uint32_t flags = 0, const char* target = nullptr)
{
    freehold_property_info_t info = {};
    info.size = sizeof info;
    info.name = {name, FREEHOLD_TERMINATED};
    info.type = type;
    info.flags = flags;
    if (target)
        info.link_target = {target, FREEHOLD_TERMINATED};
    return info;
}

inline freehold_class_t make_class(Transaction& t)
{
    const freehold_property_info_t properties[] = {
        property("id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY), property("age", FREEHOLD_TYPE_INT), property("score", FREEHOLD_TYPE_DOUBLE),
        property("active", FREEHOLD_TYPE_BOOL), property("city", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_INDEXED),
        property("name", FREEHOLD_TYPE_STRING), property("created", FREEHOLD_TYPE_DATE),
    };
    freehold_class_t made;
    ok(freehold_class_create(t.h, "person", FREEHOLD_TERMINATED, PROPERTIES, properties, &made), "class");
    return made;
}

inline void insert(freehold_transaction_t* t, freehold_class_t person, const Person& p)
{
    const freehold_value_t values[PROPERTIES] = {
        freehold_int(p.id), freehold_int(p.age), freehold_double(p.score), freehold_bool(p.active), freehold_string(p.city, p.city_len),
        freehold_string(p.name, p.name_len), freehold_date(p.created, 0),
    };
    ok(freehold_object_create(t, person, values, PROPERTIES, nullptr, values, nullptr), "create");
}

inline int64_t age_of(const freehold_reader_t* reader, freehold_class_t person, int64_t id)
{
    static const freehold_property_t age = AGE;
    freehold_value_t value;
    ok(freehold_object_get(reader, person, id, 1, &age, &value), "get");
    return value.as.integer;
}

} // namespace bench
